// SPDX-License-Identifier: Apache-2.0

import { FileText, hunksOf, linesOf } from '../../common/changes/line-hunks';
import { ChangeLimits } from '../../node/changes/file-changes';
import { hashOf } from '../../node/changes/file-text';
import { Case, LineEdit, Notice, PATHS } from './changes-steps';
import { ChangesPage, ChangesWorld, ObservedChanges } from './changes-world';

const ROOMY: ChangeLimits = { rows: 6, text: 700, texts: 6000, copies: 5 };
const TIGHT: ChangeLimits = { rows: 2, text: 70, texts: 80, copies: 2 };

/** A promise to the user is broken. */
export class BrokenPromise extends Error {}

export function promise(isHeld: unknown, what: string): void {
    if (!isHeld) {
        throw new BrokenPromise(what);
    }
}

/** Each line begins with its name, which is never used twice: `p1` typed by a user, `z1` written by an agent, `a1` there from the start. */
export function nameOf(line: string): string {
    return line.trim().split(' ')[0];
}

export function namesIn(text: FileText | undefined): string[] {
    return linesOf(text)
        .map(nameOf)
        .filter(name => /\d/.test(name));
}

export function isTyped(name: string): boolean {
    return name.startsWith('p');
}

function perPath<T>(create: () => T): Record<string, T> {
    return Object.fromEntries(PATHS.map(path => [path, create()]));
}

/** An event of the watcher that has not arrived yet. */
interface Pending {
    isLost?: boolean;
    run(): Promise<void>;
}

/**
 * What happened, told apart from what the rules think of it, and the promises to the user:
 * (a) Undo takes no line that a user typed, that came after what was shown, or that was kept. (b) After Keep All the list is empty, after
 * Undo All each file is its baseline, with the user's lines. (c) There is a copy of what Undo took. (d) No line that an agent wrote or removed
 * is missing from the list, white space included. (e) Nothing that a user typed or removed is called an agent's. (f) The bounds hold.
 */
export class ChangesJudge {
    protected readonly world: ChangesWorld;
    protected readonly pages: readonly [ChangesPage, ChangesPage];
    protected readonly pending: Pending[] = [];
    protected count = 0;
    /** Lines of agents that nobody has looked at. */
    protected readonly added = perPath(() => new Set<string>());
    /** Lines that agents removed, and nobody has looked. */
    protected readonly removed = perPath(() => new Set<string>());
    /** What users removed. */
    protected readonly gone = perPath(() => new Set<string>());
    /** How lines were indented before somebody outside the editor did it. */
    protected readonly indents = perPath(() => new Map<string, string>());
    /** Without git, a change has no text before it. */
    protected readonly silent = new Set<string>();
    /** Git and somebody else wrote it between two looks: the row shows both together. A known limit. */
    protected readonly together = new Set<string>();
    /** Git wrote it, and nobody has looked since. */
    protected readonly unseen = new Set<string>();
    /** Lines that an agent, or git, has put elsewhere. */
    protected readonly carried = new Set<string>();
    protected hasBig = false;
    /** Files found no room in the list, which said so. They are in no change once the others are kept. */
    protected hadNoRoom = false;
    protected lastUndo: { path: string; page: number; was: FileText; now: FileText } | undefined;

    constructor(protected readonly told: Case) {
        const { git, dirty, tight } = told;
        this.world = new ChangesWorld(tight ? TIGHT : ROOMY, git);
        this.pages = [new ChangesPage(this.world), new ChangesPage(this.world)];
        for (const path of PATHS.slice(0, 3)) {
            const lines = Array.from({ length: 7 }, (_, index) => (index % 3 === 1 ? '}\n' : `${path}${index} text\n`));
            this.world.files.set(path, lines.join(''));
        }
        this.world.git.head = this.world.git.add(this.world.files);
        if (dirty) {
            const [, ...rest] = linesOf(this.world.textOf('b'));
            this.world.files.set('b', `${rest.join('')}p900 uncommitted\n`);
        }
    }

    protected get changes(): ObservedChanges {
        return this.world.changes;
    }

    protected get hasGit(): boolean {
        return this.world.git.isThere;
    }

    // --- what is written, and who is told

    protected async writeSilently(paths: readonly string[], event: Notice, change: (text: string) => FileText): Promise<void> {
        for (const path of paths) {
            const text = this.world.textOf(path);
            if (text !== null) {
                this.markSilent(path);
                await this.writeOutside(path, change(text), event);
            }
        }
    }

    /** Somebody writes outside the editor. */
    protected async writeOutside(path: string, text: FileText, event: Notice): Promise<void> {
        const { world, changes } = this;
        const old = world.textOf(path);
        const isMixed =
            (await changes.hasUnseenMove) && ((await changes.seenHash(path)) !== hashOf(old) || world.git.hashes.has(hashOf(text)));
        if (this.unseen.has(path) || isMixed) {
            this.markTogether(path, text);
        }
        world.write(path, text);
        const [was, now] = [new Set(namesIn(old)), new Set(namesIn(text))];
        for (const name of now) {
            this.gone[path].delete(name);
            if (!was.has(name)) {
                if (isTyped(name)) {
                    this.carried.add(name);
                }
                if (!this.removed[path].delete(name) && changes.tracking) {
                    this.added[path].add(name);
                }
            }
        }
        for (const name of [...was].filter(one => !now.has(one))) {
            if (!this.added[path].delete(name) && changes.tracking) {
                this.removed[path].add(name);
            }
        }
        await this.tell(path, event);
        this.sync(path);
    }

    protected async tell(path: string, event: Notice): Promise<void> {
        const run = (): Promise<void> => this.changes.handleEvents([path]);
        if (event === 'now' || event === 'twice') {
            await run();
        }
        if (event !== 'now') {
            // Git finds what was lost.
            this.pending.push({ isLost: event === 'lost' && this.hasGit, run });
        }
    }

    protected async deliver(most = Infinity): Promise<void> {
        for (const { isLost, run } of this.pending.splice(0, most)) {
            await (isLost ? undefined : run());
        }
    }

    protected sync(path: string): void {
        this.pages.forEach(page => page.sync(path));
    }

    protected edit(text: FileText, author: 'p' | 'z', { at, remove, add, filler }: LineEdit): string {
        const old = linesOf(text);
        const place = at % (old.length + 1);
        const lines = Array.from({ length: add }, () => `${author}${++this.count} text\n`);
        return [...old.slice(0, place), ...lines, ...(filler ? ['}\n'] : []), ...old.slice(place + remove)].join('');
    }

    // --- what is known of it

    /** A user's save has happened. */
    protected markSaved(path: string, before: FileText): void {
        const now = new Set(namesIn(this.world.textOf(path)));
        now.forEach(name => {
            this.gone[path].delete(name);
            this.removed[path].delete(name);
        });
        for (const name of namesIn(before).filter(one => !now.has(one))) {
            this.gone[path].add(name);
        }
        [...this.added[path]].filter(name => !now.has(name)).forEach(name => this.added[path].delete(name));
        this.sync(path);
    }

    protected markSilent(path: string): void {
        if (!this.hasGit) {
            this.silent.add(path);
        }
    }

    protected markTogether(path: string, text: FileText): void {
        this.together.add(path);
        namesIn(text).forEach(name => this.carried.add(name));
    }

    protected forgive(path: string): void {
        [this.indents, this.added, this.removed].forEach(known => known[path].clear());
    }

    /** What was committed before anybody looked cannot be told from what git brought. A known limit. */
    protected async forgiveUnseen(): Promise<void> {
        const { world, changes } = this;
        const verbs = world.git.reflog.slice(changes.entries);
        if (verbs.every(verb => verb === 'commit')) {
            return;
        }
        for (const path of PATHS) {
            const now = world.textOf(path);
            const seen = await changes.seenHash(path);
            const isFromStash = now !== null && verbs.includes('stash') && world.git.hashes.has(hashOf(now));
            const isOfGit = world.git.blob(path) === now || isFromStash;
            if (seen !== undefined && seen !== hashOf(now) && world.git.hashes.has(seen) && isOfGit) {
                this.forgive(path);
            }
        }
    }

    /** There may have been no room, or no text, to know it by. */
    protected mayBeUnknown(path: string): boolean {
        return this.hadNoRoom || this.silent.has(path);
    }

    // --- the judge

    protected judgeBounds(): void {
        const { changes } = this;
        this.hadNoRoom ||= changes.hadNoRoom;
        const { rows, text, texts, copies } = this.world.limits;
        const sizeOfCopies = changes.undone.reduce((sum, copy) => sum + (copy.text?.length ?? 0), 0);
        promise(changes.all.length <= rows && changes.undone.length <= copies, '(f) rows and copies');
        promise(changes.sizeOfTexts <= texts && sizeOfCopies <= texts, '(f) all texts');
        promise(
            changes.texts.every(one => (one?.length ?? 0) <= text),
            '(f) one text'
        );
    }

    /** Everything has arrived. */
    protected async settle(): Promise<void> {
        await this.deliver();
        await this.changes.rescan();
        this.hadNoRoom ||= this.changes.hadNoRoom;
        PATHS.filter(path => !this.together.has(path)).forEach(path => this.judge(path));
    }

    protected judge(path: string): void {
        const { changes, world } = this;
        const row = changes.get(path);
        const disk = world.textOf(path);
        const have = new Set(namesIn(disk));
        const unknown = this.mayBeUnknown(path);
        if (!row) {
            promise(unknown || this.added[path].size === 0, `(d) ${[...this.added[path]].join()} in ${path} not listed`);
            const missing = [...this.removed[path]].filter(name => !have.has(name));
            promise(unknown || missing.length === 0, `(d) removed ${missing.join()} of ${path} not listed`);
            return;
        }
        promise(row.hash === hashOf(disk), `the row of ${path} is not what is on disk`);
        if (row.base === undefined) {
            promise(unknown || this.told.tight || this.hasBig || changes.sizeOfTexts > 5_000, `the baseline of ${path} is not known`);
            return;
        }
        const base = new Set(namesIn(row.base));
        this.added[path].forEach(name => promise(!base.has(name) || unknown, `(d) ${name} in ${path} is in the baseline`));
        for (const name of this.removed[path]) {
            promise(have.has(name) || base.has(name) || unknown, `(d) removed ${name} of ${path} is not in the baseline`);
        }
        const baseLines = new Map(linesOf(row.base).map(line => [nameOf(line), line]));
        for (const [name, line] of this.told.tight ? [] : this.indents[path]) {
            const isBoth = /^[a-h]\d/.test(name) && have.has(name) && base.has(name);
            promise(!isBoth || unknown || baseLines.get(name) === line, `(d) the white space of ${name} in ${path} is accepted`);
        }
        for (const name of this.gone[path]) {
            promise(have.has(name) || !base.has(name), `(e) ${name} in ${path}, which a user removed, is called removed by an agent`);
        }
        for (const name of [...have].filter(isTyped)) {
            promise(base.has(name) || this.carried.has(name), `(e) ${name} in ${path} is called an agent's`);
        }
        promise(hunksOf(row.base, disk).length > 0, `the row of ${path} has no changes`);
    }
}
