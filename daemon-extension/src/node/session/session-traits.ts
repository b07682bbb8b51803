// SPDX-License-Identifier: Apache-2.0

import { isLooser } from '../../common/approval-modes';
import { ModeEvent, SessionEvent } from '../../common/session-events';

/** What a session is set to, as the daemon said last; told where it changes, since the daemon says most of it twice. */
export class SessionTraits {
    modelId: string | undefined;
    modeId: string | undefined;
    title: string | undefined;

    /** @param label takes secrets out and caps */
    constructor(
        protected readonly label: (text: string | null | undefined) => string,
        protected readonly chosenModeId: () => string
    ) {}

    changeModel(modelId: string): SessionEvent[] {
        const id = this.label(modelId);
        // Said bare, and with the provider.
        if (this.modelId === id || this.modelId?.startsWith(`${id}(`)) {
            return [];
        }
        this.modelId = id;
        return [{ kind: 'model', modelId: id }];
    }

    changeMode(modeId: string): SessionEvent[] {
        return this.modeId === this.label(modeId) ? [] : [this.mode(modeId)];
    }

    /** Also of use where the mode stays and another one was chosen. */
    mode(modeId: string): ModeEvent {
        this.modeId = this.label(modeId);
        const chosenModeId = this.chosenModeId();
        return { kind: 'mode', modeId: this.modeId, chosenModeId, looser: isLooser(this.modeId, chosenModeId) };
    }

    changeTitle(title: string | null | undefined): SessionEvent[] {
        if (!title || this.title === this.label(title)) {
            return [];
        }
        this.title = this.label(title);
        return [{ kind: 'title', title: this.title }];
    }
}
