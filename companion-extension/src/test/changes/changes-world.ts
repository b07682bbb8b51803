// SPDX-License-Identifier: Apache-2.0

import { FileText, hunksOf, LineHunk, undoHunk, undoHunkIn } from '../../common/changes/line-hunks';
import {
    ChangedFile,
    ChangeLimits,
    FileChanges,
    FilesOnDisk,
    GitPosition,
    Repository,
    StoredChanges
} from '../../node/changes/file-changes';
import { hashOf } from '../../node/changes/file-text';

/** A repository as {@link FileChanges} reads it. The files are those of the world. */
export class FakeRepository implements Repository {
    readonly trees: Array<ReadonlyMap<string, string>> = [];
    readonly stashes: Array<ReadonlyMap<string, string>> = [];
    readonly reflog: string[] = [];
    readonly hashes = new Set<string>([hashOf(null)]);
    head = 0;

    constructor(
        protected readonly files: ReadonlyMap<string, string>,
        readonly isThere: boolean
    ) {}

    add(tree: ReadonlyMap<string, string>): number {
        tree.forEach(text => this.hashes.add(hashOf(text)));
        return this.trees.push(new Map(tree)) - 1;
    }

    blob(path: string, head = this.head): FileText {
        return this.trees[head].get(path) ?? null;
    }

    get dirty(): string[] {
        const paths = new Set([...this.files.keys(), ...this.trees[this.head].keys()]);
        return [...paths].filter(path => (this.files.get(path) ?? null) !== this.blob(path));
    }

    verbs(position: GitPosition | undefined): string[] {
        return this.reflog.slice(position?.entries ?? 0);
    }

    async position(): Promise<GitPosition | undefined> {
        return this.isThere ? { head: String(this.head), entries: this.reflog.length, stash: '' } : undefined;
    }

    async verbsSince(position: GitPosition): Promise<readonly string[]> {
        return this.verbs(position);
    }

    async dirtyPaths(): Promise<readonly string[]> {
        return this.dirty;
    }

    async changedPaths(from: string, to: string): Promise<readonly string[]> {
        return [...this.trees[Number(from)].keys(), ...this.trees[Number(to)].keys()];
    }

    async textIn(head: string, path: string): Promise<FileText | undefined> {
        return this.blob(path, Number(head));
    }

    async has(_path: string, hash: string): Promise<boolean> {
        return this.hashes.has(hash);
    }
}

/** The rules, and what they remember, for the judge. */
export class ObservedChanges extends FileChanges {
    /** Files found no room in the list, which said so until the others were kept. */
    hadNoRoom = false;

    protected override async list(...change: Parameters<FileChanges['list']>): Promise<void> {
        await super.list(...change);
        this.hadNoRoom ||= this.more > 0;
    }

    get sizeOfTexts(): number {
        return this.size;
    }

    get entries(): number {
        return this.position?.entries ?? 0;
    }

    /** The texts of which no copy may be too large. */
    get texts(): ReadonlyArray<FileText | undefined> {
        return [...this.all.map(({ base }) => base), ...[...this.known.values()].map(({ text }) => text)];
    }

    /** The hash of what was last seen of it. */
    seenHash(path: string): Promise<string | undefined> {
        return this.lastHash(path);
    }

    get hasUnseenGit(): Promise<boolean> {
        return this.hasGitChanged();
    }

    get hasUnseenMove(): Promise<boolean> {
        return this.hasGitMoved();
    }
}

/** A folder, its repository, and a backend that can be started again. */
export class ChangesWorld implements FilesOnDisk {
    readonly files = new Map<string, string>();
    readonly git: FakeRepository;
    changes: ObservedChanges;

    constructor(
        readonly limits: ChangeLimits,
        hasGit: boolean
    ) {
        this.git = new FakeRepository(this.files, hasGit);
        this.changes = new ObservedChanges(this, this.git, limits);
    }

    async read(path: string): Promise<FileText> {
        return this.textOf(path);
    }

    /** None is ignored by git, or comes from elsewhere. */
    async isOlder(): Promise<boolean> {
        return false;
    }

    textOf(path: string): FileText {
        return this.files.get(path) ?? null;
    }

    write(path: string, text: FileText): void {
        if (text === null) {
            this.files.delete(path);
        } else {
            this.files.set(path, text);
        }
    }

    /** The backend is killed, and started with what it has stored as JSON. */
    restart(): void {
        const unknown = (_key: string, value: unknown): unknown => (value === undefined ? { unknown: true } : value);
        const known = (_key: string, value: { unknown?: true } | null): unknown => (value?.unknown ? undefined : value);
        const stored = JSON.parse(JSON.stringify(this.changes.stored, unknown), known) as StoredChanges;
        const { hadNoRoom } = this.changes;
        this.changes = new ObservedChanges(this, this.git, this.limits, stored);
        // The list may have been full just now, before the judge has looked.
        this.changes.hadNoRoom = hadNoRoom;
    }
}

/** Theia's model of a file in a page. */
interface Model {
    text: FileText;
    loaded: FileText;
}

/** A row as a page shows it. */
interface ShownFile {
    row: ChangedFile;
    disk: FileText;
    hunks: LineHunk[];
}

/** A page with editors, and the list as it last got it. */
export class ChangesPage {
    readonly models = new Map<string, Model>();
    readonly shown = new Map<string, ShownFile>();

    constructor(protected readonly world: ChangesWorld) {}

    open(path: string): Model {
        const model = this.models.get(path) ?? { text: this.world.textOf(path), loaded: this.world.textOf(path) };
        this.models.set(path, model);
        return model;
    }

    isDirty(path: string): boolean {
        const model = this.models.get(path);
        return model !== undefined && model.text !== model.loaded;
    }

    /** Theia loads a file again that has changed, unless the editor has unsaved edits. */
    sync(path: string): void {
        const model = this.models.get(path);
        if (model && model.text === model.loaded) {
            model.text = model.loaded = this.world.textOf(path);
        }
    }

    /** @param overwrite the user saves over what somebody else wrote. @returns whether it is saved */
    async save(path: string, overwrite = false): Promise<boolean> {
        const model = this.open(path);
        if (model.loaded !== this.world.textOf(path) && !overwrite) {
            return false;
        }
        const from = await this.world.changes.prepareSave(path);
        this.world.write(path, model.text);
        await this.world.changes.handleSaved(path, from);
        model.loaded = model.text;
        return true;
    }

    /** The backend looks before it tells. */
    async refresh(): Promise<void> {
        await this.world.changes.rescan();
        this.shown.clear();
        for (const row of this.world.changes.all) {
            const disk = this.world.textOf(row.path);
            this.shown.set(row.path, { row: { ...row }, disk, hunks: row.base === undefined ? [] : hunksOf(row.base, disk) });
        }
    }

    async keep(path: string, hunk?: number): Promise<boolean> {
        const shown = this.shown.get(path);
        return shown !== undefined && this.world.changes.keep(path, shown.row.version, hunkOf(shown, hunk));
    }

    /** Takes back in the editor what is as it was shown, and saves, unless the editor has other unsaved edits. */
    async undo(path: string, hunk?: number): Promise<'undone' | 'unsaved' | 'refused'> {
        const shown = this.shown.get(path);
        if (!shown || shown.row.base === undefined || shown.hunks.length === 0 || hashOf(shown.disk) !== shown.row.hash) {
            return 'refused';
        }
        this.sync(path);
        const model = this.open(path);
        const isDirty = this.isDirty(path);
        const text = this.textAfterUndo(shown, shown.row.base, hunk, isDirty ? model.text : undefined);
        const isAsShown = isDirty || model.text === shown.disk;
        if (!isAsShown || text === undefined || !(await this.world.changes.mayUndo(path, shown.row.version, isDirty ? undefined : text))) {
            return 'refused';
        }
        model.text = text;
        if (isDirty) {
            return 'unsaved';
        }
        return (await this.save(path)) ? 'undone' : 'refused';
    }

    /** @param edited the text of an editor with unsaved edits */
    protected textAfterUndo(shown: ShownFile, base: FileText, hunk: number | undefined, edited?: FileText): FileText | undefined {
        const chosen = hunkOf(shown, hunk);
        if (edited === undefined) {
            return chosen ? undoHunk(base, shown.disk, chosen) : base;
        }
        return chosen && undoHunkIn(edited, base, shown.disk, chosen);
    }
}

/** @param index counts on from the first after the last; `undefined` means the file */
export function hunkOf({ hunks }: ShownFile, index: number | undefined): LineHunk | undefined {
    return index === undefined || hunks.length === 0 ? undefined : hunks[index % hunks.length];
}
