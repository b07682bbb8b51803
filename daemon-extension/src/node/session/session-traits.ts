// SPDX-License-Identifier: Apache-2.0

import { isLooser } from '../../common/approval-modes';
import { Redactor } from '../config/redactor';
import { ModeEvent, SessionEvent, SlashCommand } from '../../common/qwen-daemon-protocol';

/** A page has a fragment for each. */
const MAX_COMMANDS = 200;

/** The model and mode that the daemon named last. Only changes become events: the daemon says most of it twice. */
export class SessionTraits {
    modelId: string | undefined;
    modeId: string | undefined;
    /** The user approved a plan here, whose options name the mode in which the work goes on, or allowed all edits. */
    nextModeIsChosen = false;

    constructor(protected readonly session: { redactor: Redactor; chosenModeId: string; chooseMode(modeId: string): void }) {}

    changeModel(modelId: string): SessionEvent[] {
        const id = this.session.redactor.label(modelId);
        // Said bare, and with the provider.
        if (this.modelId === id || this.modelId?.startsWith(`${id}(`)) {
            return [];
        }
        this.modelId = id;
        return [{ kind: 'model', modelId: id }];
    }

    changeMode(modeId: string): SessionEvent[] {
        if (this.modeId === this.session.redactor.label(modeId)) {
            return [];
        }
        if (this.nextModeIsChosen) {
            this.nextModeIsChosen = false;
            this.session.chooseMode(modeId);
        }
        return [this.mode(modeId)];
    }

    /** Also called if the mode stays and the user chose another one. */
    mode(modeId: string): ModeEvent {
        this.modeId = this.session.redactor.label(modeId);
        const chosenModeId = this.session.chosenModeId;
        return { kind: 'mode', modeId: this.modeId, chosenModeId, looser: isLooser(this.modeId, chosenModeId) };
    }

    commands(commands: SlashCommand[]): SessionEvent {
        const shown = commands
            .filter(({ name }) => /^[\w-]{1,100}$/.test(name))
            .slice(0, MAX_COMMANDS)
            .map(({ name, description, hint }) => ({
                name,
                description: this.session.redactor.label(description),
                hint: this.session.redactor.label(hint)
            }));
        return { kind: 'commands', commands: shown };
    }
}
