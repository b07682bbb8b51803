// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { AgentTurn, ChangeList, FileChange, UndoneChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { listOf } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';

/** Changes of the same author are one group until nothing changed for so long. */
const PAUSE_MS = 60_000;

/** Rows that belong together, in the order in which they are shown. */
export interface ChangeGroup {
    /** The same as long as the group is. */
    readonly id: string;
    readonly kind: 'changed' | 'outside' | 'accepted' | 'committed' | 'undone';
    readonly label: string;
    readonly startsClosed: boolean;
    /** Absent for files of which none is known. */
    readonly turn?: AgentTurn;
    readonly files: readonly FileChange[];
    readonly accepted: readonly AcceptedProposal[];
    readonly undone: readonly UndoneChange[];
}

type GroupRows = Pick<ChangeGroup, 'files' | 'accepted' | 'undone'>;

const NO_ROWS: GroupRows = { files: [], accepted: [], undone: [] };

export function isChange(value: unknown): value is FileChange {
    return typeof value === 'object' && value !== null && 'uri' in value && 'version' in value;
}

export function isUndone(value: unknown): value is UndoneChange {
    return typeof value === 'object' && value !== null && 'id' in value && 'at' in value;
}

export function isAccepted(value: unknown): value is AcceptedProposal {
    return typeof value === 'object' && value !== null && 'uri' in value && 'verdict' in value;
}

/** Groups the list by turns, or else by who worked and when, the newest first; then what counts in no number, what was accepted, and what was undone. */
export function groupsOf({ files, undone, turns }: ChangeList, accepted: readonly AcceptedProposal[] = []): ChangeGroup[] {
    const changed: FileChange[][] = [];
    const newestFirst = [...files].sort((one, other) => other.changedAt - one.changedAt);
    const isOfTurn = ({ turn, group, isCommitted }: FileChange): boolean => turn !== undefined && group === undefined && !isCommitted;
    for (const file of newestFirst.filter(each => each.group === undefined && !isOfTurn(each))) {
        const group = changed.find(of => {
            const last = of[of.length - 1];
            return keyOf(last) === keyOf(file) && last.changedAt - file.changedAt <= PAUSE_MS;
        });
        if (group) {
            group.push(file);
        } else {
            changed.push([file]);
        }
    }
    const [outside, committed] = (['outside', 'committed'] as const).map(wanted =>
        files.filter(({ group }) => group === wanted).sort(byPath)
    );
    const byAuthor = changed.map((group, index): ChangeGroup => {
        const key = keyOf(group[0]);
        const older = changed.slice(index + 1).filter(([first]) => keyOf(first) === key).length;
        return {
            id: `changed ${older} ${key}`,
            kind: 'changed',
            label: `${labelOf(group[0])} · ${timeOf(group[0].changedAt)}`,
            startsClosed: false,
            ...NO_ROWS,
            files: [...group].sort(byPath)
        };
    });
    const byTurn = turns.map((turn): ChangeGroup => ({
        id: `turn ${turn.id}`,
        kind: 'changed',
        label: turnLabel(turn),
        startsClosed: false,
        turn,
        ...NO_ROWS,
        files: files.filter(file => isOfTurn(file) && file.turn === turn.id).sort(byPath)
    }));
    const timeOfGroup = ({ turn, files: of }: ChangeGroup): number => turn?.startedAt ?? Math.max(...of.map(({ changedAt }) => changedAt));
    const groups = [...byTurn, ...byAuthor].sort((one, other) => timeOfGroup(other) - timeOfGroup(one));
    const sets = [...new Set(undone.map(({ id }) => id))].map(id => undone.filter(each => each.id === id));
    const [batches, singles] = [sets.filter(({ length }) => length > 1), sets.filter(({ length }) => length === 1).flat()];
    const more = (kind: ChangeGroup['kind'], label: string, rows: Partial<GroupRows>): ChangeGroup[] =>
        Object.values(rows).every(({ length }) => length === 0) ? [] : [{ id: kind, kind, label, startsClosed: true, ...NO_ROWS, ...rows }];
    return [
        ...groups,
        ...more('outside', nls.localize('theia/cli-companion/changes/outsideGroup', 'While no agent worked ({0})', outside.length), {
            files: outside
        }),
        ...more('accepted', nls.localize('theia/cli-companion/changes/accepted', 'Accepted ({0})', accepted.length), { accepted }),
        ...more('committed', nls.localize('theia/cli-companion/changes/committed', 'As committed ({0})', committed.length), {
            files: committed
        }),
        ...batches.flatMap(files => {
            const [{ id, at }] = files;
            const label = nls.localize('theia/cli-companion/changes/undoneAtOnce', 'Undone at {0} ({1})', timeOf(at), files.length);
            return more('undone', label, { undone: files }).map(group => ({ ...group, id: `undone ${id}` }));
        }),
        ...more('undone', nls.localize('theia/cli-companion/changes/undone', 'Undone ({0})', singles.length), { undone: singles })
    ];
}

function keyOf({ authors, isCommitted }: FileChange): string {
    return `${isCommitted ? 'committed ' : ''}${authors.join(', ')}`;
}

/** The agents that worked then; empty if none did, or none has a name. */
export function authorsOf({ authors }: Pick<FileChange, 'authors'>): string {
    return authors.length === 1 ? visibleText(authors[0]) : listOf(authors.map(visibleText));
}

/** In a stable order: the user aims at a row while an agent goes on. */
function byPath(one: FileChange, other: FileChange): number {
    return one.uri < other.uri ? -1 : 1;
}

function labelOf({ authors, isCommitted }: Pick<FileChange, 'authors' | 'isCommitted'>): string {
    const agents = authorsOf({ authors }) || nls.localize('theia/cli-companion/changes/someAgent', 'An agent');
    return isCommitted ? nls.localize('theia/cli-companion/changes/committedWhile', 'Committed while {0} worked', agents) : agents;
}

/** Who worked, when, on how many files; and on what, if the agent says so. */
export function turnLabel({ agents, startedAt, files, prompt }: AgentTurn): string {
    const count =
        files === 1
            ? nls.localize('theia/cli-companion/changes/oneFile', '1 file')
            : nls.localize('theia/cli-companion/changes/files', '{0} files', files);
    return [labelOf({ authors: agents }), timeOf(startedAt), count, ...(prompt ? [visibleText(prompt)] : [])].join(' · ');
}

/** When a file was undone, and whose change that was. */
export function undoneWhen({ at, authors = [] }: UndoneChange): string {
    return authors.length > 0 ? `${timeOf(at)} · ${authorsOf({ authors })}` : timeOf(at);
}

/** When a proposal was accepted, and whose that was. */
export function acceptedWhen({ acceptedAt, cliName }: AcceptedProposal): string {
    return `${timeOf(acceptedAt)} · ${visibleText(cliName)}`;
}

function timeOf(time: number): string {
    return new Intl.DateTimeFormat(nls.locale ?? 'en', { timeStyle: 'short' }).format(time);
}
