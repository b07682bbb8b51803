// SPDX-License-Identifier: Apache-2.0

import { Entry, fromName, IndexEntry, isSameEntry } from './index-entry';

export const MAX_TURNS = 20;
/** Of one turn. */
const MAX_EDITS = 500;
/** So many records are added to what is stored before that is written anew: an agent may write the same file all day. */
const MAX_ADDED = 1_000;

/** What agents did from when they began to work until they waited, were done, or rested. */
export interface Turn {
    readonly id: string;
    /** In milliseconds since the epoch. */
    readonly startedAt: number;
    /** The agents that worked, by their names; empty names are not known. */
    readonly agents: readonly string[];
    /** What it is about, in the agent's own words. */
    readonly prompt?: string;
    /** It had more edits than are recorded. */
    readonly isCut?: true;
}

/** What an agent made of a file, between what others did to it. */
export interface TurnEdit {
    readonly name: string;
    readonly before: Entry;
    readonly after: Entry;
}

/** Edits of a turn, in their order. */
export interface TurnEdits {
    readonly turn: Turn;
    readonly edits: readonly TurnEdit[];
}

/** The same for a list. */
export interface ListedTurn extends Turn {
    /** By their paths in the root. */
    readonly files: readonly string[];
}

/** What agents wrote in their last turns, as object ids: no text, no tree, no history. Their objects are needed. */
export class TurnRecords {
    /** What was written since the last look, and is of no turn yet. */
    pending: readonly TurnEdit[] = [];
    /** The oldest first. */
    protected all: readonly TurnEdits[] = [];
    /** What is not on disk yet; `undefined` if all has to be written. */
    protected unstored: TurnEdits[] | undefined = [];
    /** How many records were added to what is stored. */
    protected added = 0;

    /** @param stored in the order in which it was recorded */
    load(stored: readonly TurnEdits[]): void {
        this.all = [];
        stored.forEach(each => this.add(each));
        // Its last line may be cut: nothing is added to that.
        this.unstored = undefined;
    }

    /** Somebody has written a file. */
    note(edit: TurnEdit): void {
        this.pending = withEdit(this.pending, edit).slice(0, MAX_EDITS + 1);
    }

    /** More was written than a turn can have. */
    get isFull(): boolean {
        return this.pending.length > MAX_EDITS;
    }

    /**
     * A look had read what the user just wrote.
     *
     * @param read what it read
     * @param from what stood there before the user wrote
     */
    takeBackFrom(name: string, read: Entry, from: Entry): void {
        const before = (edit: TurnEdit): boolean => edit.name === name && isSameEntry(edit.after, read);
        const last = [...this.all.flatMap(({ edits }) => edits), ...this.pending].findLast(before);
        this.map(edit => (edit !== last ? edit : isSameEntry(edit.before, from) ? undefined : { ...edit, after: from }));
    }

    /** To be added to what is stored; `whole` if it stands in its place. Nothing is left to store then. */
    takeUnstored(): { readonly records: readonly TurnEdits[]; readonly whole: boolean } {
        const added = this.added + (this.unstored?.length ?? 0);
        const unstored = added > MAX_ADDED ? undefined : this.unstored;
        this.added = unstored ? added : 0;
        this.unstored = [];
        return { records: unstored ?? this.all, whole: unstored === undefined };
    }

    /** What was taken could not be stored. */
    storeAgain(): void {
        this.unstored = undefined;
    }

    record(turn: Turn, edits: readonly TurnEdit[]): void {
        this.unstored?.push({ turn, edits });
        this.add({ turn, edits });
    }

    /** @param prefix of the root in the names of its files */
    listed(prefix: string): ListedTurn[] {
        return this.all.map(({ turn, edits }) => ({
            ...turn,
            files: [...new Set(edits.map(({ name }) => fromName(name.slice(prefix.length))))]
        }));
    }

    /** What turns did to a file, the newest first. @param turns their ids */
    editsOf(name: string, turns: ReadonlySet<string>): TurnEdit[] {
        return this.of(turns, other => other.name === name)
            .flatMap(({ edits }) => edits)
            .reverse();
    }

    /** The names of the agents that worked on a file. */
    agentsOf(name: string): string[] {
        return [...new Set(this.of(undefined, other => other.name === name).flatMap(({ turn }) => turn.agents))];
    }

    /** Of a file that is undone, or kept. @param turns their ids; all if they are left out. @returns what {@link putBack} brings back */
    take(name: string, turns?: ReadonlySet<string>): TurnEdits[] {
        const taken = this.of(turns, other => other.name === name);
        if (taken.length > 0) {
            this.change(({ turn, edits }) => edits.filter(edit => edit.name !== name || turns?.has(turn.id) === false));
        }
        this.pending = turns ? this.pending : this.pending.filter(edit => edit.name !== name);
        return taken;
    }

    putBack(taken: readonly TurnEdits[]): void {
        for (const { turn, edits } of taken) {
            const found = this.all.find(other => other.turn.id === turn.id);
            const others = this.all.filter(other => other !== found);
            const whole = { turn: found?.turn ?? turn, edits: [...edits, ...(found?.edits ?? [])] };
            this.all = [...others, whole].sort((one, other) => one.turn.startedAt - other.turn.startedAt).slice(-MAX_TURNS);
            this.unstored = undefined;
        }
    }

    /** Makes other edits of some. @param by `undefined` for one that goes */
    map(by: (edit: TurnEdit) => TurnEdit | undefined): void {
        this.change(({ edits }) => edits.flatMap(edit => by(edit) ?? []));
        this.pending = this.pending.flatMap(edit => by(edit) ?? []);
    }

    /** The oldest goes; what is of no turn yet goes last. @returns false if there is none */
    removeOldest(): boolean {
        const hasOne = this.all.length > 0 || this.pending.length > 0;
        this.pending = this.all.length > 0 ? this.pending : [];
        this.all = this.all.slice(1);
        this.unstored = undefined;
        return hasOne;
    }

    /** The objects of which edits consist. */
    get oids(): string[] {
        const edits = [...this.all.flatMap(each => each.edits), ...this.pending];
        return edits.flatMap(({ before, after }) => [before, after].flatMap(entry => entry?.oid ?? []));
    }

    protected of(turns: ReadonlySet<string> | undefined, isMeant: (edit: TurnEdit) => boolean): TurnEdits[] {
        return this.all
            .filter(({ turn }) => turns?.has(turn.id) ?? true)
            .map(({ turn, edits }) => ({ turn, edits: edits.filter(isMeant) }))
            .filter(({ edits }) => edits.length > 0);
    }

    protected change(editsOf: (of: TurnEdits) => readonly TurnEdit[]): void {
        const changed = this.all.map(of => {
            const edits = editsOf(of);
            const isSame = edits.length === of.edits.length && edits.every((edit, index) => edit === of.edits[index]);
            return isSame ? of : { turn: of.turn, edits };
        });
        if (changed.some((of, index) => of !== this.all[index])) {
            this.all = changed.filter(({ edits }) => edits.length > 0);
            this.unstored = undefined;
        }
    }

    protected add({ turn, edits: added }: TurnEdits): void {
        const found = this.all.find(other => other.turn.id === turn.id);
        const edits = added.reduce(withEdit, found?.edits ?? []);
        const others = this.all.filter(other => other !== found);
        const isCut = found?.turn.isCut || turn.isCut || edits.length > MAX_EDITS;
        const whole = { turn: isCut ? { ...turn, isCut } : turn, edits: edits.slice(0, MAX_EDITS) };
        this.all = [...others, ...(edits.length > 0 ? [whole] : [])].slice(-MAX_TURNS);
    }
}

/** Whether it is one. What is stored may be broken, or of another version of this. */
export function isTurnEdits(value: unknown): value is TurnEdits {
    const { turn, edits } = fieldsOf<TurnEdits>(value);
    const { id, startedAt, agents, prompt, isCut } = fieldsOf<Turn>(turn);
    const isText = (text: unknown): boolean => typeof text === 'string';
    const isEntry = (entry: unknown): boolean => {
        const { mode, oid } = fieldsOf<IndexEntry>(entry);
        return entry === null || (isText(mode) && /^[0-9a-f]+$/.test(String(oid)));
    };
    const isEdit = (edit: unknown): boolean => {
        const { name, before, after } = fieldsOf<TurnEdit>(edit);
        return isText(name) && isEntry(before) && isEntry(after);
    };
    return (
        isText(id) &&
        typeof startedAt === 'number' &&
        Array.isArray(agents) &&
        agents.every(isText) &&
        (prompt === undefined || isText(prompt)) &&
        (isCut === undefined || isCut === true) &&
        Array.isArray(edits) &&
        edits.every(isEdit)
    );
}

function fieldsOf<T>(value: unknown): Partial<Record<keyof T, unknown>> {
    return typeof value === 'object' && value !== null ? value : {};
}

function withEdit(edits: readonly TurnEdit[], edit: TurnEdit): readonly TurnEdit[] {
    const at = edits.findLastIndex(({ name }) => name === edit.name);
    const last = edits[at];
    if (last && isSameEntry(last.after, edit.before)) {
        // Nobody else did anything between them.
        const whole = { ...edit, before: last.before };
        return edits.toSpliced(at, 1, ...(isSameEntry(whole.before, whole.after) ? [] : [whole]));
    }
    return [...edits, edit];
}
