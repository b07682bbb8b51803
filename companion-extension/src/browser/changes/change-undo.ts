// SPDX-License-Identifier: Apache-2.0

import { FormatType } from '@theia/core/lib/browser/saveable';
import { BinaryBuffer } from '@theia/core/lib/common/buffer';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EncodingMode } from '@theia/editor/lib/browser/editor';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import {
    FileContent,
    FileOperationError,
    FileOperationResult,
    FileStatWithMetadata,
    FileSystemProviderCapabilities
} from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { ChangeLines, ChangesBackend, FileChange, UndoResult } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { FileText, hunksOf, LineHunk, linesOf, undoAllIn, undoHunk, undoHunkIn, withLinesOf } from '../../common/diff/line-hunks';
import { canMix, decodeRaw, editorText, encodeRaw, formOf, fromWire, hasOneLineEnd, toWire } from '../../common/diff/raw-text';
import { ReviewBackend } from '../../common/review-protocol';
import { noAnswerText } from '../../common/sentences';
import { isPatternForTrash } from '../../common/trash-patterns';
import { textOf } from '../diff/file-editors';
import { FileEncodings } from '../diff/file-encodings';
import { CompanionConnection } from '../window/companion-connection';
import { CHANGES_LIMIT_MS, PageChanges } from './page-changes';

/** Longer texts are not compared line by line: that takes too long. */
const COMPARED_LENGTH = 1024 * 1024;
/** A folder that was made so shortly before a file, and that nothing came into later, was made for the file. */
const MADE_FOR_TIME_MS = 1_000;

/**
 * - `done`: it is so on disk
 * - `unsaved`: undone in the file's editor, which has other edits of the user
 * - `changed`: nothing was done, for the file is not as it was shown
 * - `edited`: nothing was done, for the user has edits there that are not saved
 * - `failed`: the file could not be written
 * - `no-room`: nothing was done, for what would be taken away could not be put back
 */
export type ChangeOutcome = 'done' | 'unsaved' | 'changed' | 'edited' | 'failed' | 'no-room';

/** What a diff shows when the user presses Keep or Undo. */
export interface ShownChange {
    readonly base: string;
    readonly text: string;
    /** Of one change; of the whole file if it is left out. */
    readonly lines?: ChangeLines;
}

/** A file as it is now. */
interface FileNow {
    /** Of which no byte is lost. */
    readonly disk: FileText;
    /** That of its editor. */
    readonly text: FileText;
    readonly isEdited: boolean;
}

interface OpenFile extends FileNow {
    /** As it was read; absent without a file. */
    readonly content?: FileContent;
    readonly model?: MonacoEditorModel;
}

/**
 * Keeps and takes back what was shown, and nothing of the user: one change in the file's own editor, whole files by the backend. An accepted
 * proposal is taken back in the editor, too.
 */
@injectable()
export class ChangeUndo {
    @inject(ChangesBackend)
    protected readonly backend: Pick<
        ChangesBackend,
        'keepChange' | 'mayUndoChange' | 'markUndone' | 'undoFiles' | 'countUndoAll' | 'undoAll' | 'keepAll' | 'putBack' | 'clearUndone'
    >;
    @inject(ReviewBackend)
    protected readonly reviews: Pick<ReviewBackend, 'readAccepted' | 'forgetAccepted'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'ask'>;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'readBaseline' | 'removeAccepted'>;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(FileEncodings)
    protected readonly encodings: Pick<FileEncodings, 'decode' | 'textOf'>;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FileSystemPreferences)
    protected readonly preferences: FileSystemPreferences;

    /** @param shown absent if the user saw the file's row only */
    async keep({ uri, version }: FileChange, shown?: ShownChange): Promise<ChangeOutcome> {
        let lines: LineHunk | undefined;
        if (shown) {
            const base = await this.readBase(uri, version, shown);
            const now = await this.readNow(new URI(uri));
            if (base === undefined || !now || (!now.isEdited && (now.text ?? '') !== shown.text)) {
                return 'changed';
            }
            lines = shown.lines && findHunk(base, now, shown.lines);
            if (shown.lines && !lines) {
                return now.isEdited ? 'edited' : 'changed';
            }
        }
        return (await this.ask(() => this.backend.keepChange(uri, version, lines))) ? 'done' : 'changed';
    }

    /** Takes one change back. */
    async undo({ uri, version }: FileChange, shown: ShownChange): Promise<ChangeOutcome> {
        const { lines } = shown;
        const base = await this.readBase(uri, version, shown);
        if (base === undefined || !lines) {
            return 'changed';
        }
        const outcome = await this.edit(
            new URI(uri),
            now => ((now.text ?? '') === shown.text ? textAfterUndo(base, now, lines) : undefined),
            left =>
                this.ask(() =>
                    this.backend.mayUndoChange(uri, version, left && { text: left.text === null ? undefined : toWire(left.text) })
                )
        );
        if (outcome === 'done' || outcome === 'unsaved') {
            void this.ask(() => this.backend.markUndone(uri)).catch(() => undefined);
        }
        return outcome;
    }

    /** Takes whole files back. */
    undoFiles(files: readonly FileChange[]): Promise<UndoResult> {
        return this.ask(() => this.backend.undoFiles(files.map(({ uri, version }) => ({ uri, version }))));
    }

    /** How many files {@link undoAll} takes back, and of how many of them what it takes away is not kept. */
    countUndoAll(): Promise<{ files: number; lost: number }> {
        return this.ask(() => this.backend.countUndoAll());
    }

    /** @param version of the list. @returns `undefined` if it is another one by now */
    async undoAll(version: number): Promise<UndoResult | undefined> {
        return (await this.ask(() => this.backend.undoAll(version))) ?? undefined;
    }

    /** @param version of the list. @returns false if it is another one by now */
    keepAll(version: number): Promise<boolean> {
        return this.ask(() => this.backend.keepAll(version));
    }

    /** Whether a diff shows what would be taken back. */
    async isAsShown({ uri, version }: FileChange, shown: ShownChange): Promise<boolean> {
        const [base, now] = [await this.readBase(uri, version, shown), await this.readNow(new URI(uri))];
        return base !== undefined && (now?.text ?? '') === shown.text;
    }

    /** Those of the files for which an editor has edits that are not saved, and of the folders in which there is such a file. */
    unsavedOf(uris: readonly string[]): string[] {
        const edited = this.models.models.filter(({ dirty }) => dirty).map(({ uri }) => new URI(uri));
        return uris.filter(uri => edited.some(file => new URI(uri).isEqualOrParent(file)));
    }

    /** Takes back what was accepted, and nothing that came afterwards. To the backend it is a save of the user. */
    async undoAccepted({ id, uri }: AcceptedProposal): Promise<ChangeOutcome> {
        const texts = await this.ask(() => this.reviews.readAccepted(id));
        if (!texts) {
            return 'changed';
        }
        const file = new URI(uri);
        const [base, text] = [texts.before === undefined ? null : fromWire(texts.before), fromWire(texts.after)];
        const leave = async ({ disk, text: shown, isEdited }: FileNow): Promise<FileText | undefined> => {
            if (disk === null || shown === null || !canMix(base ?? '', disk) || !canMix(text, disk)) {
                return undefined;
            }
            const inEditor = async (raw: string): Promise<string> => (isEdited ? this.encodings.textOf(file, raw) : editorText(raw));
            const [current, before, written] = [isEdited ? shown : editorText(disk), base && (await inEditor(base)), await inEditor(text)];
            return current === written || current.length <= COMPARED_LENGTH ? undoAllIn(current, before, written) : undefined;
        };
        const outcome = await this.edit(file, leave, async () => true);
        if (outcome === 'done' || outcome === 'unsaved') {
            this.changes.removeAccepted(id);
            // If that does not arrive, another undo of it changes nothing.
            void this.ask(() => this.reviews.forgetAccepted(id)).catch(() => undefined);
        }
        return outcome;
    }

    /** Puts back what an undo took away. @param uri of one file; all of that undo if it is left out */
    putBack(id: string, uri?: string): Promise<UndoResult> {
        return this.ask(() => this.backend.putBack(id, uri));
    }

    /** Forgets what can be put back. @param version of the list. @returns false if it is another one by now */
    clearUndone(version: number): Promise<boolean> {
        return this.ask(() => this.backend.clearUndone(version));
    }

    /** The baseline; `undefined` if it is another one than the user saw. */
    protected async readBase(uri: string, version: number, shown?: ShownChange): Promise<FileText | undefined> {
        const baseline = await this.changes.readBaseline(uri);
        const isAsShown = baseline?.version === version && (shown === undefined || shown.base === baseline.shown);
        return isAsShown ? baseline.text : undefined;
    }

    protected async readNow(file: URI): Promise<FileNow | undefined> {
        let now: FileNow | undefined;
        await this.withFile(file, async found => {
            now = found;
            return 'done';
        });
        return now;
    }

    /**
     * @param leave the text that the file is to have; `undefined` if nothing may happen
     * @param announce whether it may happen. Called without a text if the user saves it later
     */
    protected edit(
        file: URI,
        leave: (now: FileNow) => FileText | undefined | Promise<FileText | undefined>,
        announce: (left?: { text: FileText }) => Promise<boolean>
    ): Promise<ChangeOutcome> {
        return this.withFile(file, async now => {
            const left = await leave(now);
            if (left === undefined || (left === null && now.isEdited)) {
                return now.isEdited ? 'edited' : 'changed';
            }
            if (!(await announce(now.isEdited ? undefined : { text: left }))) {
                return 'changed';
            }
            const { model, content } = now;
            if (model && (textOf(model) !== now.text || model.dirty !== now.isEdited)) {
                // The user typed meanwhile.
                return 'edited';
            }
            if (left === null) {
                await this.delete(file);
            } else if (!model || now.disk === null) {
                await this.files.createFile(file, BinaryBuffer.wrap(encodeRaw(left)));
            } else if (!now.isEdited && !(isSavedAsIs(model, now.disk) && isRead(model, left))) {
                return this.write(file, encodeRaw(withLinesOf(left, now.disk)), model, content);
            } else {
                return this.change(model, now, editorText(left));
            }
            return 'done';
        });
    }

    /** Calls with the file and the model of its editors. Without a file there is no model. */
    protected async withFile(file: URI, run: (now: OpenFile) => Promise<ChangeOutcome>): Promise<ChangeOutcome> {
        const content = await this.readContent(file);
        if (!content) {
            const open = this.models.get(file.toString());
            return run({ disk: null, text: null, isEdited: open?.dirty ?? false });
        }
        const disk = decodeRaw(content.value.buffer);
        if (disk === undefined) {
            return 'changed';
        }
        const reference = await this.models.createModelReference(file);
        try {
            const model = reference.object;
            // File systems do not report every change.
            await model.sync();
            const now = { disk, text: textOf(model), isEdited: model.dirty, model, content };
            if (isRead(model, disk)) {
                return now.isEdited || now.text === editorText(disk) ? await run(now) : 'changed';
            }
            return now.isEdited ? 'edited' : await run(now);
        } finally {
            reference.dispose();
        }
    }

    /** @returns `undefined` if there is no file */
    protected async readContent(file: URI): Promise<FileContent | undefined> {
        try {
            const limits = { size: this.preferences['files.maxFileSizeMB'] * 1024 * 1024 };
            return await this.ask(() => this.files.readFile(file, { limits }));
        } catch (error) {
            if (error instanceof FileOperationError && error.fileOperationResult === FileOperationResult.FILE_NOT_FOUND) {
                return undefined;
            }
            throw error;
        }
    }

    /** What no editor saves as it is: each line that does not change keeps its bytes. */
    protected async write(file: URI, bytes: Uint8Array, model: MonacoEditorModel, content?: FileContent): Promise<ChangeOutcome> {
        const { encoding } = (await this.encodings.decode(file, bytes)) ?? {};
        if (encoding !== undefined && encoding !== model.getEncoding()) {
            // Saved as Theia has read it, such as after Ctrl+Z, lines that nobody changed would have other bytes.
            await model.setEncoding(encoding, EncodingMode.Decode);
        }
        try {
            await this.files.writeFile(file, BinaryBuffer.wrap(bytes), { etag: content?.etag, mtime: content?.mtime });
        } catch (error) {
            if (error instanceof FileOperationError && error.fileOperationResult === FileOperationResult.FILE_MODIFIED_SINCE) {
                return 'changed';
            }
            throw error;
        }
        await model.sync();
        return 'done';
    }

    /** Changes only the lines that differ, as one step for undo, and saves them, unless there are other edits of the user. */
    protected async change(model: MonacoEditorModel, { text, isEdited }: FileNow, left: string): Promise<ChangeOutcome> {
        const { suppressOpenEditorWhenDirty } = model;
        // Theia (1.74) would open an editor for it, which is saved in a moment.
        model.suppressOpenEditorWhenDirty = true;
        try {
            model.textEditorModel.pushStackElement();
            model.textEditorModel.pushEditOperations([], lineEdits(text ?? '', left), () => null);
            model.textEditorModel.pushStackElement();
            if (isEdited) {
                return 'unsaved';
            }
            await model.save({ formatType: FormatType.OFF });
            if (model.dirty && textOf(model) !== left) {
                // The user types on. What is typed is saved with the undo.
                return 'unsaved';
            }
            if (model.dirty) {
                // Somebody else has written it meanwhile, and the user does not want to overwrite that.
                await model.revert();
                return 'changed';
            }
            return 'done';
        } finally {
            model.suppressOpenEditorWhenDirty = suppressOpenEditorWhenDirty;
        }
    }

    /** With the folders that were made for it, if they are empty then. */
    protected async delete(file: URI): Promise<void> {
        const folders = await this.foldersMadeFor(file);
        const hasTrash = this.files.hasCapability(file, FileSystemProviderCapabilities.Trash) && !isPatternForTrash(file.path.fsPath());
        await this.files.delete(file, { useTrash: hasTrash && this.preferences['files.enableTrash'] });
        for (const folder of folders) {
            try {
                await this.files.delete(folder);
            } catch {
                // Something has come into it.
                return;
            }
        }
    }

    /** The innermost first. */
    protected async foldersMadeFor(file: URI): Promise<URI[]> {
        const resolve = (uri: URI): Promise<FileStatWithMetadata> => this.ask(() => this.files.resolve(uri, { resolveMetadata: true }));
        const { ctime: madeAt } = await resolve(file);
        const folders: URI[] = [];
        for (let folder = file.parent; !folder.path.isRoot; folder = folder.parent) {
            // Theia has the time of birth in `ctime`; it is 0 where the disk has none.
            const { ctime, mtime, isSymbolicLink, children = [] } = await resolve(folder);
            if (isSymbolicLink || children.length !== 1 || ctime < madeAt - MADE_FOR_TIME_MS || mtime > madeAt + MADE_FOR_TIME_MS) {
                return folders;
            }
            folders.push(folder);
        }
        return folders;
    }

    protected ask<T>(call: () => Promise<T>): Promise<T> {
        return this.connection.ask(call, CHANGES_LIMIT_MS, noAnswerText());
    }
}

/** The editor has read the file as it is. */
function isRead(model: MonacoEditorModel, disk: string): boolean {
    const encoding = model.getEncoding() ?? '';
    return formOf(disk) === 'utf8' ? encoding.startsWith(UTF8) : encoding === formOf(disk);
}

/** Saving changes no line that is not edited. */
function isSavedAsIs(model: MonacoEditorModel, disk: string): boolean {
    return isRead(model, disk) && hasOneLineEnd(disk);
}

/** @returns `undefined` if the lines are not as they were shown */
function textAfterUndo(base: FileText, now: FileNow, lines: ChangeLines): FileText | undefined {
    if (base !== null && now.disk !== null && !canMix(base, now.disk)) {
        return undefined;
    }
    const hunk = findHunk(base, now, lines);
    return hunk && (now.isEdited ? undoHunkIn(now.text, inEditor(base), inEditor(now.disk), hunk) : undoHunk(base, now.disk, hunk));
}

/**
 * The change of the file that stands there. Monaco counts an empty line after the last line end, and edits of the user move the lines on the
 * right side: so the change is one that the lines touch.
 */
function findHunk(base: FileText, { disk, text, isEdited }: FileNow, lines: ChangeLines): LineHunk | undefined {
    const found = hunksOf(base, disk).filter(
        ({ baseStart, baseEnd, diskStart, diskEnd }) =>
            baseStart <= lines.baseEnd &&
            lines.baseStart <= baseEnd &&
            (isEdited || (diskStart <= lines.diskEnd && lines.diskStart <= diskEnd))
    );
    const isThere = found.length === 1 && (!isEdited || undoHunkIn(text, inEditor(base), inEditor(disk), found[0]) !== undefined);
    return isThere ? found[0] : undefined;
}

function inEditor(text: FileText): FileText {
    return text === null ? null : editorText(text);
}

interface LineEdit {
    readonly range: { startLineNumber: number; startColumn: number; endLineNumber: number; endColumn: number };
    readonly text: string;
}

/** Edits of the lines that differ: the others keep their ends. */
function lineEdits(before: string, after: string): LineEdit[] {
    const shown = before.split('\n');
    if (Math.max(before.length, after.length) > COMPARED_LENGTH) {
        const [endLineNumber, endColumn] = [shown.length, shown[shown.length - 1].length + 1];
        return [{ range: { startLineNumber: 1, startColumn: 1, endLineNumber, endColumn }, text: after }];
    }
    const lines = linesOf(after);
    return hunksOf(before, after).map(({ baseStart, baseEnd, diskStart, diskEnd }) => {
        const isInside = baseEnd < shown.length;
        const endLineNumber = isInside ? baseEnd + 1 : shown.length;
        const endColumn = isInside ? 1 : shown[shown.length - 1].length + 1;
        return {
            range: { startLineNumber: baseStart + 1, startColumn: 1, endLineNumber, endColumn },
            text: lines.slice(diskStart, diskEnd).join('')
        };
    });
}
