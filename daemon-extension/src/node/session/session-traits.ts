// SPDX-License-Identifier: Apache-2.0

import { isLooser } from '../../common/approval-modes';
import { DaemonLimits } from '../../common/qwen-daemon-protocol';
import { ModeEvent, SessionEvent, SlashCommand } from '../../common/session-events';

/** The model and mode that the daemon named last. Only changes become events: the daemon says most of it twice. */
export class SessionTraits {
    modelId: string | undefined;
    modeId: string | undefined;
    /** The user approved a plan here. Its options name the mode in which the work goes on. */
    nextModeIsChosen = false;

    /** @param label takes secrets out and caps */
    constructor(
        protected readonly label: (text: string | null | undefined) => string,
        protected readonly choice: { chosenModeId(): string; chooseMode(modeId: string): void }
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
        if (this.modeId === this.label(modeId)) {
            return [];
        }
        if (this.nextModeIsChosen) {
            this.nextModeIsChosen = false;
            this.choice.chooseMode(modeId);
        }
        return [this.mode(modeId)];
    }

    /** Also called if the mode stays and the user chose another one. */
    mode(modeId: string): ModeEvent {
        this.modeId = this.label(modeId);
        const chosenModeId = this.choice.chosenModeId();
        return { kind: 'mode', modeId: this.modeId, chosenModeId, looser: isLooser(this.modeId, chosenModeId) };
    }

    commands(commands: SlashCommand[]): SessionEvent {
        const shown = commands
            .filter(({ name }) => /^[\w-]{1,100}$/.test(name))
            .slice(0, DaemonLimits.commands)
            .map(({ name, description, hint }) => ({ name, description: this.label(description), hint: this.label(hint) }));
        return { kind: 'commands', commands: shown };
    }
}
