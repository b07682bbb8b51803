// SPDX-License-Identifier: Apache-2.0

import { promises as fs, Stats } from 'fs';
import * as path from 'path';
import { isInside, writeAtomically } from 'theia-cli-companion/lib/node';
import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { FileState, isUndoable, PlannedFile, TakenBack, UndoneFile, UndoPlan, WantedFile } from '../../common/turn-undo';
import { DoneEdit, KeptEdits } from './tool-calls';
import { UndoneEvent } from '../../common/qwen-daemon-protocol';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';
import { BegunTurn, TurnList } from './turn-list';

/** In bytes. A larger file is not read: none of a tool's texts is so long. */
const MAX_SIZE = 32 * 1024 * 1024;

interface FoundFile {
    state: FileState;
    content?: Buffer;
    stat?: Stats;
    /** What undo writes. */
    text?: string;
}

/** One file that undone turns changed: compares it with what they wrote, and brings its earlier text back. */
export class FileUndo {
    protected constructor(
        /** As the tools named it first. */
        readonly path: string,
        /** The file itself: absolute, with all links followed. */
        protected readonly file: string,
        /** Of the turns, in their order. */
        protected readonly edits: DoneEdit[],
        /** In which the daemon works; absolute, with all links followed. */
        protected readonly folder: string
    ) {}

    /** Puts the edits of one file together, whatever they call it. */
    static async of(edits: DoneEdit[], folder: string): Promise<FileUndo[]> {
        const root = await realPath(folder);
        const files = new Map<string, FileUndo>();
        for (const edit of edits) {
            // A folder that cannot be looked into is said when the file is read.
            const file = path.isAbsolute(edit.path) ? await realPath(edit.path).catch(() => path.resolve(edit.path)) : edit.path;
            const known = files.get(file);
            if (known) {
                known.edits.push(edit);
            } else {
                files.set(file, new FileUndo(edit.path, file, [edit], root));
            }
        }
        return [...files.values()];
    }

    async plan(): Promise<PlannedFile> {
        return { path: this.path, state: (await this.find()).state, deletes: this.before === '' };
    }

    /** Undoes it if it is in the state in which the user wants it to be undone. What is lost by that is copied first. */
    async undo(wanted: WantedFile | undefined, copy: UndoCopy): Promise<UndoneFile> {
        try {
            return { path: this.path, result: await this.tryUndo(wanted, copy) };
        } catch (error) {
            return { path: this.path, result: 'failed', cause: (error as NodeJS.ErrnoException).code };
        }
    }

    protected async tryUndo(wanted: WantedFile | undefined, copy: UndoCopy): Promise<UndoneFile['result']> {
        const { state, content, stat, text = '' } = await this.find();
        if (!isUndoable(state) || state !== wanted?.state) {
            return state;
        }
        if (!content || !stat) {
            await fs.mkdir(path.dirname(this.file), { recursive: true });
            await fs.writeFile(this.file, text, { flag: 'wx' });
            return 'restored';
        }
        await copy.keep(path.relative(this.folder, this.file), content);
        // Somebody may have saved it since it was read.
        const isSame = async (): Promise<boolean> => content.equals(await fs.readFile(this.file));
        if (this.before !== '') {
            const options = { mode: stat.mode & 0o7777, owner: stat, mayReplace: isSame };
            return (await writeAtomically(this.file, text, options)) ? 'restored' : 'changed';
        }
        if (!(await isSame())) {
            return 'changed';
        }
        await fs.unlink(this.file);
        return 'deleted';
    }

    protected async find(): Promise<FoundFile> {
        const { before, after } = this;
        if (!path.isAbsolute(this.file) || !isInside(this.folder, this.file)) {
            return { state: 'outside' };
        }
        // The tool could not read all of it.
        if (before === undefined || after === undefined || before.includes('\uFFFD')) {
            return { state: 'no-text' };
        }
        let content: Buffer;
        let stat: Stats;
        try {
            stat = await fs.stat(this.file);
            if (!stat.isFile() || stat.size > MAX_SIZE) {
                return { state: 'unreadable' };
            }
            content = await fs.readFile(this.file);
        } catch (error) {
            const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
            return isMissing ? { state: before === '' ? 'as-before' : 'missing', text: before } : { state: 'unreadable' };
        }
        const now = decoded(content);
        if (now === undefined) {
            return { state: 'unreadable' };
        }
        // As one of the turns left it: the edits of later ones may have been taken back.
        const isAsWritten = this.isUnbroken && this.edits.some(({ texts }) => isSameText(now, texts?.newText));
        const state = before !== '' && isSameText(now, before) ? 'as-before' : isAsWritten ? 'as-written' : 'changed';
        return { state, content, stat, text: inFormOf(now, before, after) };
    }

    /** Empty if there was no file. */
    protected get before(): string | undefined {
        return this.areTextsKept ? this.edits[0].texts?.oldText : undefined;
    }

    protected get after(): string | undefined {
        return this.areTextsKept ? this.edits[this.edits.length - 1].texts?.newText : undefined;
    }

    protected get areTextsKept(): boolean {
        return this.edits.every(({ texts }) => texts !== undefined);
    }

    /** Nobody else changed the file between the edits. */
    protected get isUnbroken(): boolean {
        return this.edits.every(({ texts }, index) => index === 0 || isSameText(texts?.oldText, this.edits[index - 1].texts?.newText));
    }
}

/** Also of a file that is not there. */
async function realPath(file: string): Promise<string> {
    try {
        return await fs.realpath(file);
    } catch (error) {
        const parent = path.dirname(file);
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === file) {
            throw error;
        }
        return path.join(await realPath(parent), path.basename(file));
    }
}

/** `undefined` if it is no text in UTF-8. */
function decoded(content: Buffer): string | undefined {
    try {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
        return text.includes('\0') ? undefined : text;
    } catch {
        return undefined;
    }
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The tools (Qwen Code 0.24) leave out the byte order mark, and some of them report CRLF as LF. */
function isSameText(one: string | undefined, other: string | undefined): boolean {
    const plain = (text: string | undefined): string | undefined => text?.replace(BYTE_ORDER_MARK, '').replaceAll('\r\n', '\n');
    return plain(one) === plain(other);
}

/** The text before the turns, with the file's byte order mark and line endings, which the tool did not report. */
function inFormOf(now: string, before: string, after: string): string {
    const isToldAsLf = now.includes('\r\n') && !after.includes('\r\n') && !before.includes('\r\n');
    const text = isToldAsLf ? before.replaceAll('\n', '\r\n') : before;
    return now.startsWith(BYTE_ORDER_MARK) && !text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + text : text;
}

/** The copies of what one undo overwrites or deletes, in a folder of their own, which only its owner can read. */
export class UndoCopy {
    /** `undefined` while there are no copies. */
    folder: string | undefined;

    /** @param root absolute path of the folder of all copies; made if it is missing */
    constructor(protected readonly root: () => Promise<string>) {}

    /** @param name path of the file in its workspace, relative */
    async keep(name: string, content: Buffer): Promise<void> {
        this.folder ??= await this.make();
        const file = path.join(this.folder, name);
        await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await fs.writeFile(file, content, { mode: 0o600, flag: 'wx' });
    }

    protected async make(): Promise<string> {
        const root = await this.root();
        await fs.mkdir(root, { recursive: true, mode: 0o700 });
        return fs.mkdtemp(path.join(root, `${new Date().toISOString().replaceAll(':', '-')}-`));
    }
}

/**
 * Removes what is old.
 *
 * @param folder absolute path; may be missing
 * @param age milliseconds
 */
export async function removeOlder(folder: string, age: number): Promise<void> {
    for (const name of await fs.readdir(folder).catch(() => [])) {
        const entry = path.join(folder, name);
        // Another backend of the user may have removed it.
        const stat = await fs.stat(entry).catch(() => undefined);
        if (stat && Date.now() - stat.mtimeMs > age) {
            await fs.rm(entry, { recursive: true, force: true });
        }
    }
}

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
