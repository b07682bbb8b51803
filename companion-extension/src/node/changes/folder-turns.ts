// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { numberOf } from './described-row';
import { resultOf, SeenRow, UndoneResult } from './folder-undo';
import { RootIndex } from './root-index';
import { ActiveAgent } from './active-agent-contribution';
import { TurnClock } from './turn-clock';
import { ListedTurn } from './turn-records';

/** What an undo of turns makes of a file. */
export interface TurnFile extends SeenRow {
    /**
     * - `undone`: nothing of the turns is left in it
     * - `partly`: lines stay that somebody has changed since
     * - `stays`: nothing of it can be told from what others did
     */
    readonly left: 'undone' | 'partly' | 'stays';
}

/** The turns of agents in a root: records them, and takes them back. */
export class FolderTurns {
    protected readonly clock: TurnClock;

    /** @param root its real path. @param agents those in the windows that have the folder */
    constructor(
        protected readonly root: string,
        protected readonly index: RootIndex,
        agents: () => readonly ActiveAgent[]
    ) {
        this.clock = new TurnClock(agents);
    }

    /** Agents have come, gone, or said something. */
    note(): void {
        this.clock.note();
    }

    /** A look has found what was written. @param worked the agents that may have done it. @param lookedAt when the look before began */
    async record(worked: readonly string[], lookedAt: number): Promise<void> {
        if (this.index.hasWritten) {
            await this.index.recordTurn(this.clock.turnOf(worked, lookedAt));
        }
    }

    /**
     * Those of which something is listed, the newest first.
     *
     * @param rows their paths, with `/` at the end of a folder
     * @returns also the newest turn of each row
     */
    of(rows: readonly string[]): { turns: ListedTurn[]; byRow: ReadonlyMap<string, string> } {
        const files = new Set(rows);
        const folders = rows.filter(row => row.endsWith('/'));
        const byRow = new Map<string, string>();
        const turns = this.index.turns.reverse().filter(turn => {
            const found = turn.files.flatMap(file => (files.has(file) ? file : (folders.find(folder => file.startsWith(folder)) ?? [])));
            found.filter(row => !byRow.has(row)).forEach(row => byRow.set(row, turn.id));
            return found.length > 0;
        });
        return { turns, byRow };
    }

    /**
     * What an undo would make of the files of a turn.
     *
     * @param andLater of all later turns, too: back to before it
     * @returns `undefined` if it is not known any more
     */
    async plan(id: string, andLater: boolean): Promise<TurnFile[] | undefined> {
        const turns = this.turnsOf(id, andLater);
        const files = [...new Set(turns.flatMap(turn => turn.files))].sort();
        const ids = idsOf(turns);
        const plan = async (file: string): Promise<TurnFile[]> => {
            const { version, isSame, isPartial } = await this.index.withTurns(file, (index, name) => index.without(name, ids));
            const left = !isPartial ? 'undone' : isSame ? 'stays' : 'partly';
            return isSame && !isPartial ? [] : [{ file, version: numberOf(version), left }];
        };
        return turns.length > 0 ? (await Promise.all(files.map(plan))).flat() : undefined;
    }

    /** Takes turns back. @param files of the plan that the user saw. @param set of the undo, for Put Back */
    async undo(id: string, andLater: boolean, files: readonly SeenRow[], set: string): Promise<UndoneResult[]> {
        const turns = idsOf(this.turnsOf(id, andLater));
        const room = await this.index.roomLeft();
        const found = await Promise.all(
            files.map(async seen => ({
                ...seen,
                ...(await this.index.withTurns(seen.file, (index, name) => index.without(name, turns))),
                bytes: (await fs.lstat(path.join(this.root, seen.file)).catch(() => undefined))?.size ?? 0
            }))
        );
        // A folder may stand where a file is to stand again. They are written in this order.
        const order = [...found.filter(({ left }) => !left), ...found.filter(({ left }) => left)];
        let bytes = 0;
        return Promise.all(
            order.map(async ({ file, version, bytes: size }): Promise<UndoneResult> => {
                bytes += size;
                if (numberOf(version) !== files.find(each => each.file === file)?.version) {
                    return { file, reason: 'changed' };
                }
                const undo = (): Promise<boolean> => this.index.withTurns(file, (index, name) => index.undo(name, turns, version, set));
                return bytes > room ? { file, reason: 'no-room' } : resultOf(file, undo);
            })
        );
    }

    /** The oldest first. */
    protected turnsOf(id: string, andLater: boolean): ListedTurn[] {
        const { turns } = this.index;
        const at = turns.findIndex(turn => turn.id === id);
        return at < 0 ? [] : turns.slice(at, andLater ? undefined : at + 1);
    }
}

function idsOf(turns: readonly ListedTurn[]): Set<string> {
    return new Set(turns.map(({ id }) => id));
}
