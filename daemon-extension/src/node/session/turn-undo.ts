// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { UndoneEvent } from '../../common/qwen-daemon-protocol';
import { PlannedFile, TakenBack, UndoneFile, UndoPlan, WantedFile } from '../../common/turn-undo';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';
import { FileUndo, UndoCopy } from './file-undo';
import { KeptEdits } from './tool-calls';
import { BegunTurn, TurnList } from './turn-list';

export interface UndoSubject {
    readonly turns: TurnList;
    readonly edits: KeptEdits;
    readonly newCopy: () => UndoCopy;
    /** In which the daemon works. */
    readonly folder: string;
}

/**
 * Undoes a turn and all that came after it. The files are brought back here: the daemon (Qwen Code 0.24) would take every file back that a tool
 * edited in the whole session, and delete those that were not there then, also where they are the user's own by now.
 */
export class TurnUndo {
    protected constructor(
        protected readonly client: DaemonSessionClient,
        protected readonly subject: UndoSubject,
        protected readonly turns: readonly BegunTurn[],
        protected readonly files: FileUndo[],
        /** The daemon's id of the state of the session before the turns; `undefined` if that is not certain. */
        protected readonly target: string | undefined
    ) {}

    /** Rejects with a {@link DaemonProblemError}. */
    static async of(client: DaemonSessionClient, subject: UndoSubject, turnId: string): Promise<TurnUndo> {
        if (subject.turns.ahead > 0) {
            throw new DaemonProblemError({ code: 'turn-runs' });
        }
        const turns = subject.turns.since(turnId);
        if (turns.length === 0) {
            throw new DaemonProblemError({ code: 'no-undo' });
        }
        const edits = subject.edits.done(new Set(turns.map(turn => turn.turnId)));
        const files = await FileUndo.of(edits, subject.folder);
        return new TurnUndo(client, subject, turns, files, await targetOf(client, subject.turns, turns));
    }

    async plan(): Promise<UndoPlan> {
        const files: PlannedFile[] = [];
        for (const file of this.files) {
            files.push(await file.plan());
        }
        return { files, turns: this.turns.length, forgets: this.target !== undefined };
    }

    /** @param tell called for each turn, the newest first */
    async undo(wanted: WantedFile[], tell: (event: UndoneEvent) => void): Promise<void> {
        // First: if the daemon refuses because a turn has begun, nothing was changed.
        const forgotten = this.target !== undefined && (await this.forget(this.target));
        const { files, copies } = await this.takeBack(wanted);
        [...this.turns].reverse().forEach(({ turnId }, index) => {
            this.subject.turns.undo(turnId);
            tell({ kind: 'undone', turnId, forgotten, ...(index === 0 ? { files, copies } : { files: [] }) });
        });
    }

    /** The files alone: the session still knows the turns. */
    async takeBack(wanted: WantedFile[]): Promise<TakenBack> {
        const copy = this.subject.newCopy();
        const files: UndoneFile[] = [];
        for (const file of this.files) {
            const one = wanted.find(({ path }) => path === file.path);
            files.push(await file.undo(one, copy));
        }
        return { files, copies: copy.folder };
    }

    /** @returns whether the session forgot the turns */
    protected async forget(target: string): Promise<boolean> {
        try {
            await this.client.rewind(target, { rewindFiles: false });
            return true;
        } catch (error) {
            switch (DaemonError.code(error)) {
                case 'invalid_rewind_target':
                    return false;
                case 'session_busy':
                    throw new DaemonProblemError({ code: 'turn-runs' });
                default:
                    throw error;
            }
        }
    }
}

/**
 * The daemon names the states of a session by ids of its own; so that of a turn is found by its time. The daemon takes it for the beginning of
 * as many prompts as there are states before it, which is wrong when it has summarised the session, or dropped the oldest of 100 states: then
 * it does not list the newest turn's state, or lists too few states before this one.
 */
async function targetOf(client: DaemonSessionClient, list: TurnList, undone: readonly BegunTurn[]): Promise<string | undefined> {
    // The daemon knows no state before a step of its own.
    if (undone[0].isByItself) {
        return undefined;
    }
    const { snapshots } = await client.getRewindSnapshots();
    const stateOf = ({ at }: BegunTurn): (typeof snapshots)[number] | undefined =>
        snapshots.find(({ timestamp }) => at !== undefined && Date.parse(timestamp) >= at);
    const [first] = undone;
    // The daemon may have answered a command without its model.
    const newest = undone.findLast(({ isCommand }) => !isCommand) ?? first;
    const before = list.history.slice(0, list.history.indexOf(first)).filter(({ isCommand }) => !isCommand).length;
    const state = stateOf(first);
    return state && stateOf(newest) && state.turnIndex >= before ? state.promptId : undefined;
}
