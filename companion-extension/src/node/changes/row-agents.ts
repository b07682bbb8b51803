// SPDX-License-Identifier: Apache-2.0

import { ActiveAgent } from './active-agent-contribution';
import { RowNote } from './index-row';
import { ListedRow } from './index-rows';
import { RootIndex } from './root-index';

/** Files are often written a moment before their agent says that it works. */
const BEFORE_CHANGE_MS = 5_000;
/** So many agents that rest, or have ended, are remembered. */
const MAX_RESTED = 20;

/** What the user has taken for seen. */
export interface KeptFile {
    readonly file: string;
    /** Those that worked when it was changed, by their names. */
    readonly agents: readonly string[];
}

/** Which agents changed the rows of a folder: nobody tells, so it is those that worked then. */
export class RowAgents {
    /** Those that worked at the last {@link note}. */
    protected working: ReadonlySet<string> = new Set();
    /** When the others did something last, those that have ended too; as `performance.now` counts. */
    protected readonly rested = new Map<string, number>();

    /** @param agents those in the windows that have the folder */
    constructor(
        protected readonly index: RootIndex,
        protected readonly agents: () => readonly ActiveAgent[]
    ) {}

    /** Who changed a row, as the list shows it. */
    static namesOf(row: Pick<ListedRow, 'note'> | undefined): readonly string[] {
        return (row?.note?.agents ?? []).filter(Boolean);
    }

    /** Agents have come, gone, or rest: one may have written just before its end. */
    note(): void {
        const now = performance.now();
        for (const name of this.working) {
            // The oldest is first.
            this.rested.delete(name);
            this.rested.set(name, now);
        }
        const agents = this.agents();
        this.working = new Set(agents.filter(({ activeAt }) => activeAt === Infinity).map(({ name }) => name));
        const older = [...this.rested.keys()].slice(0, -MAX_RESTED);
        older.forEach(name => this.rested.delete(name));
    }

    /**
     * Says of what has changed which agents worked then.
     *
     * @param before the list before somebody committed; `undefined` if nobody did
     * @param since when the look before began: it saw the old contents
     * @param noticedAt when somebody said that something has changed, of which no look knew; `undefined` if nobody did
     * @returns the agents that worked on something
     */
    async attribute(
        listed: readonly ListedRow[],
        before: ReadonlyMap<string, ListedRow> | undefined,
        since: number,
        noticedAt = since
    ): Promise<string[]> {
        const there = this.agents();
        // One that never says when it works is also noted when others come to rest.
        const mayWork = new Set(there.filter(({ activeAt }) => activeAt === Infinity).map(({ name }) => name));
        const rested = [...this.rested].filter(([name]) => !mayWork.has(name)).map(([name, activeAt]) => ({ name, activeAt }));
        const agents = [...there, ...rested];
        const workedSince = (time: number): string[] => [...new Set(workingSince(agents, time).map(({ name }) => name))];
        // What an agent wrote on its screen behind the last look, maybe hours ago, is no work on what changes now.
        const changedSince = Math.max(since, noticedAt - BEFORE_CHANGE_MS);
        const notes = new Map<string, RowNote>();
        for (const { path: file, row, version, note } of listed) {
            const isCommitted = before !== undefined && row.equalsHead === true && before.get(file)?.row.equalsHead !== true;
            const isSame = note?.version === version;
            if (isSame && !isCommitted) {
                continue;
            }
            const changedAt = await this.index.changedAt(file);
            // A commit leaves the file's time as it was.
            const worked = workedSince(
                isSame ? since : Math.min(changedSince, performance.now() - (Date.now() - changedAt) - BEFORE_CHANGE_MS)
            );
            if (isCommitted && worked.length === 0) {
                // Whoever commits by hand has seen it.
                await this.index.keep(file, version);
                continue;
            }
            const known = note?.agents ?? [];
            notes.set(file, {
                version,
                agents: worked.length > 0 && !isSame ? worked : known,
                changedAt,
                ...((note?.isNew || (row.kind === 'file' && row.how === 'added')) && { isNew: true as const }),
                ...(isCommitted && worked.length > 0 && { isCommitted: true as const })
            });
        }
        await this.index.setNotes(notes);
        return [...new Set([...notes.values()].flatMap(({ agents: worked }) => worked))];
    }
}

/**
 * Those that may have worked. Copilot CLI (1.0.102) and OpenCode (1.18) never say when they work: if another agent is known to have worked, one of
 * them counts only if its screen has changed.
 *
 * @param time as `performance.now` counts
 */
function workingSince(agents: readonly ActiveAgent[], time: number): readonly ActiveAgent[] {
    const maybe = agents.filter(({ activeAt }) => activeAt >= time);
    const isKnown = ({ activeAt, isWorking, wroteAt = -Infinity }: ActiveAgent): boolean =>
        activeAt < Infinity || isWorking === true || wroteAt >= time;
    const isStill = (agent: ActiveAgent): boolean => agent.wroteAt !== undefined && !isKnown(agent);
    return maybe.some(isKnown) ? maybe.filter(agent => !isStill(agent)) : maybe;
}
