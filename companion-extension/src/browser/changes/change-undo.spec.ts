// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { FormatType } from '@theia/core/lib/browser/saveable';
import { BinaryBuffer } from '@theia/core/lib/common/buffer';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { URI } from '@theia/core/lib/common/uri';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { ChangedFile, ChangesBackend, FileChange, TextAfterUndo } from '../../common/changes/changes-protocol';
import { hunksOf } from '../../common/diff/line-hunks';

import { FileEncodings } from '../diff/file-encodings';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { decodeRaw, editorText, encodeRaw, fromWire, toWire } from '../../common/diff/raw-text';
import { ReviewBackend } from '../../common/review-protocol';
import { AcceptedProposal, AcceptedTexts } from '../../common/companion-protocol';
import { ChangeUndo, ShownChange } from './change-undo';
import { PageChanges } from './page-changes';

const FILE = 'file:///ws/greet.ts';
const FILE_IN_NEW_FOLDER = 'file:///ws/old/outer/inner/new.ts';
const BASE = 'one\ntwo\nthree\nfour\nfive\n';
const DISK = 'one\nTWO\nthree\nfour\nFIVE\n';
/** Of the changes in DISK, as Monaco names their lines. */
const [SECOND, FIFTH] = [1, 4].map(line => ({ baseStart: line, baseEnd: line + 1, diskStart: line, diskEnd: line + 1 }));

interface Range {
    startLineNumber: number;
    startColumn: number;
    endLineNumber: number;
    endColumn: number;
}

/** Theia's model of a file, whose text has `\n` at the ends of lines. */
class Model {
    readonly uri = FILE;
    dirty = false;
    encoding = 'utf8';
    suppressOpenEditorWhenDirty = false;
    readonly edits: string[] = [];
    readonly happened: string[] = [];
    save = async ({ formatType }: { formatType: FormatType }): Promise<void> => {
        this.happened.push(formatType === FormatType.OFF ? 'saved' : 'formatted');
        this.world.disk = this.text;
        this.dirty = false;
    };

    constructor(
        protected readonly world: { disk: string | undefined },
        public text = editorText(world.disk ?? '')
    ) {}

    readonly textEditorModel = {
        getValue: () => this.text,
        pushStackElement: () => this.happened.push('a step of undo'),
        pushEditOperations: (_: unknown, edits: Array<{ range: Range; text: string }>) => {
            expect(this.suppressOpenEditorWhenDirty).to.equal(true);
            const offset = (line: number, column: number): number =>
                this.text
                    .split('\n')
                    .slice(0, line - 1)
                    .reduce((sum, { length }) => sum + length + 1, column - 1);
            for (const { range, text } of [...edits].reverse()) {
                const [start, end] = [offset(range.startLineNumber, range.startColumn), offset(range.endLineNumber, range.endColumn)];
                this.edits.unshift(`${this.text.slice(start, end)} -> ${text}`);
                this.text = this.text.slice(0, start) + text + this.text.slice(end);
            }
            this.dirty = true;
        }
    };

    async sync(): Promise<void> {
        this.text = this.dirty ? this.text : editorText(this.world.disk ?? '');
    }

    async revert(): Promise<void> {
        this.dirty = false;
        await this.sync();
    }

    async setEncoding(encoding: string): Promise<void> {
        this.encoding = encoding;
    }

    getEncoding(): string {
        return this.encoding;
    }
}

describe('Undo and Keep of what was changed outside the editor', () => {
    let undo: ChangeUndo;
    let world: { disk: string | undefined; base: string | undefined; encoding: string };
    let model: Model;
    let change: FileChange;
    /** What the backend was asked. */
    let asked: unknown[];
    /** What the backend keeps of the accept, and which ones it was told to forget. */
    let kept: AcceptedTexts | undefined;
    let forgotten: string[];
    /** What the backend was told. */
    let marked: string[];
    let isAllowed: boolean;
    let deleted: unknown[];
    let hasTrash: boolean;
    /** Somebody else writes the file in the last moment. */
    let isOvertaken: boolean;
    /** Files and folders with their times, by their URIs; without a row they are old, and there are others in them. */
    let folders: Record<string, { madeAt: number; changedAt?: number; entries?: string[] }>;
    /** A folder that gets another file in the last moment. */
    let filled: string | undefined;

    beforeEach(() => {
        world = { disk: DISK, base: BASE, encoding: 'utf8' };
        model = new Model(world);
        change = { uri: FILE, kind: 'modified', version: 7, authors: [], changedAt: 0, canUndo: true };
        [asked, deleted, isAllowed, hasTrash, isOvertaken] = [[], [], true, true, false];
        marked = [];
        [folders, filled] = [{}, undefined];
        [kept, forgotten] = [{ before: BASE, after: DISK }, []];
        const services = new FakeServices();
        services.bind(CompanionConnection, { ask: (call: () => Promise<unknown>) => call() });
        services.bind(ChangesBackend, {
            markUndone: async (uri: string) => void marked.push(uri),
            mayUndoChange: async (_uri: string, version: number, left?: TextAfterUndo) => {
                asked.push({ version, left });
                return isAllowed;
            },
            keepChange: async (_uri: string, version: number, lines?: unknown) => {
                asked.push({ version, lines });
                return isAllowed;
            },
            undoFiles: async (files: ChangedFile[]) => {
                asked.push(files);
                return { done: [FILE], left: [{ uri: `${FILE}x`, reason: 'changed' as const }] };
            }
        });
        services.bind(PageChanges, {
            removeAccepted: (id: string) => void forgotten.push(`${id} at once`),
            readBaseline: async () => ({ version: 7, text: world.base ?? null, shown: editorText(world.base ?? '') })
        });
        services.bind(MonacoTextModelService, {
            models: [model],
            get: (uri: string) => (uri === FILE ? model : undefined),
            createModelReference: async () => ({ object: model, dispose: () => undefined })
        });
        const decode = (bytes: Uint8Array): string => new EncodingService().decode(BinaryBuffer.wrap(bytes), world.encoding);
        services.bind(FileEncodings, {
            decode: async (_: URI, bytes: Uint8Array) => ({ text: decode(bytes), encoding: world.encoding }),
            textOf: async (_: URI, raw: string) => decode(encodeRaw(raw))
        });
        services.bind(ReviewBackend, {
            readAccepted: async () =>
                kept && { ...(kept.before !== undefined && { before: toWire(kept.before) }), after: toWire(kept.after) },
            forgetAccepted: async (id: string) => void forgotten.push(id)
        });
        services.bind(FileSystemPreferences, { 'files.enableTrash': true, 'files.maxFileSizeMB': 10 });
        services.bind(FileService, {
            hasCapability: () => hasTrash,
            resolve: async (uri: URI) => {
                const { madeAt = 0, changedAt = madeAt, entries = [] } = folders[uri.toString()] ?? {};
                return { ctime: madeAt, mtime: changedAt, children: entries };
            },
            delete: async (file: URI, options: object) => {
                if (file.path.ext === '.ts') {
                    world.disk = undefined;
                } else if (filled === file.toString()) {
                    throw new Error('not empty');
                }
                deleted.push(options ? [file.toString(), options] : file.toString());
            },
            readFile: async () => {
                if (world.disk === undefined) {
                    throw new FileOperationError('none', FileOperationResult.FILE_NOT_FOUND);
                }
                return { value: BinaryBuffer.wrap(encodeRaw(world.disk)), etag: world.disk, mtime: 1 };
            },
            writeFile: async (_: URI, { buffer }: BinaryBuffer, { etag }: { etag: string }) => {
                if (etag !== world.disk || isOvertaken) {
                    throw new FileOperationError('newer', FileOperationResult.FILE_MODIFIED_SINCE);
                }
                world.disk = decodeRaw(buffer);
            },
            createFile: async (_: URI, { buffer }: BinaryBuffer) => void (world.disk = decodeRaw(buffer))
        });
        undo = services.create(ChangeUndo);
    });

    const accepted: AcceptedProposal = {
        id: 'a',
        path: '/ws/greet.ts',
        uri: FILE,
        cliName: 'Qwen Code',
        verdict: 'written',
        judged: 1,
        acceptedAt: 0
    };

    /** A change as it is shown. */
    function hunk(index = 0): ShownChange {
        return { ...shown(hunksOf(world.base ?? null, world.disk ?? null)[index]), base: editorText(world.base ?? '') };
    }

    function shown(lines?: ShownChange['lines'], text = model.text): ShownChange {
        return { base: world.base ?? '', text, ...(lines && { lines }) };
    }

    it('takes one change back: its lines only, as one step for undo, announced, and saved as it is', async () => {
        expect(await undo.undo(change, shown(SECOND))).to.equal('done');
        expect(world.disk).to.equal('one\ntwo\nthree\nfour\nFIVE\n');
        expect(model.edits).to.deep.equal(['TWO\n -> two\n']);
        expect(model.happened).to.deep.equal(['a step of undo', 'a step of undo', 'saved']);
        expect(asked).to.deep.equal([{ version: 7, left: { text: world.disk } }]);
        expect(model.suppressOpenEditorWhenDirty).to.equal(false);
        expect(marked, 'for a record').to.deep.equal([FILE]);
    });

    for (const [what, base, disk] of [
        ['a last line without an end', 'one\ntwo', 'one\ntwo\nthree\n'],
        ['a last line that got an end', 'one\ntwo\n', 'one\ntwo'],
        ['an empty file', '', 'one\n'],
        ['a file that was emptied', 'one\ntwo\n', ''],
        ['removed lines at the end', 'one\ntwo\nthree', 'one\n'],
        ['new lines in front', 'two\n', 'one\ntwo\n']
    ]) {
        it(`takes back ${what}`, async () => {
            Object.assign(world, { base, disk });
            await model.sync();
            expect(await undo.undo(change, hunk())).to.equal('done');
            expect(world.disk).to.equal(base);
        });
    }

    it('finds a change at the end as Monaco names it: behind the last line end is an empty line', async () => {
        Object.assign(world, { base: 'one\ntwo', disk: 'one\ntwo\n' });
        await model.sync();
        const lines = { baseStart: 2, baseEnd: 2, diskStart: 2, diskEnd: 3 };
        expect(await undo.undo(change, shown(lines))).to.equal('done');
        expect(world.disk).to.equal('one\ntwo');
    });

    it('edits a file with CRLF by its lines', async () => {
        world.disk = DISK.replace(/\n/g, '\r\n');
        expect(await undo.undo(change, shown(SECOND, DISK))).to.equal('done');
        expect(model.text).to.equal('one\ntwo\nthree\nfour\nFIVE\n');
        expect(model.edits).to.deep.equal(['TWO\n -> two\n']);
    });

    it('does nothing to a file that has changed since it was shown, also if only the editor does not know it yet', async () => {
        const seen = shown(SECOND);
        world.disk = 'one\nTWO\nthree\nfour\nFIVE\nsix\n';
        expect(await undo.undo(change, seen)).to.equal('changed');
        expect(await undo.undo({ ...change, version: 6 }, seen)).to.equal('changed');
        expect(await undo.undo(change, { ...shown(SECOND), base: 'another baseline\n' })).to.equal('changed');
        expect(asked).to.deep.equal([]);
        isAllowed = false;
        await model.sync();
        expect(await undo.undo(change, hunk())).to.equal('changed');
        expect(model.edits).to.deep.equal([]);
        expect(marked, 'nothing is undone').to.deep.equal([]);
    });

    it('leaves saving to the user who has other edits in the editor, and announces no text', async () => {
        model.text = 'one\nTWO\nthree\nfour\nFIVE\nmine\n';
        model.dirty = true;
        expect(await undo.undo(change, shown({ ...SECOND }))).to.equal('unsaved');
        expect(model.text).to.equal('one\ntwo\nthree\nfour\nFIVE\nmine\n');
        expect(world.disk).to.equal(DISK);
        expect(asked).to.deep.equal([{ version: 7, left: undefined }]);
        expect(model.happened).not.to.include('saved');
        expect(marked).to.deep.equal([FILE]);
    });

    it('refuses where the user has edits that are not saved in the same lines, and says of such a file that it has them', async () => {
        model.text = 'one\nTWO and mine\nthree\nfour\nFIVE\n';
        model.dirty = true;
        expect(await undo.undo(change, shown(SECOND))).to.equal('edited');
        expect(undo.unsavedOf([FILE, `${FILE}x`, 'file:///ws'])).to.deep.equal([FILE, 'file:///ws']);
        expect(await undo.keep(change, shown(SECOND))).to.equal('edited');
        expect(model.edits).to.deep.equal([]);
        expect(asked).to.deep.equal([]);
    });

    it('refuses where edits of the user join two changes, and where nothing of a new file would be left', async () => {
        model.text = 'one\nTWO\nmine\nmine\nFIVE\n';
        model.dirty = true;
        expect(await undo.undo(change, shown({ baseStart: 1, baseEnd: 5, diskStart: 1, diskEnd: 5 }))).to.equal('edited');
        world.base = undefined;
        model.text = DISK;
        expect(await undo.undo(change, shown({ baseStart: 0, baseEnd: 1, diskStart: 0, diskEnd: 5 }))).to.equal('edited');
        expect(model.edits).to.deep.equal([]);
        expect(deleted).to.deep.equal([]);
    });

    it('does nothing while the editor has another text than the file', async () => {
        model.text = 'older\n';
        model.sync = async () => undefined;
        expect(await undo.undo(change, { ...hunk(), text: DISK })).to.equal('changed');
        expect(asked).to.deep.equal([]);
    });

    it('does nothing to what the user types while the backend is asked', async () => {
        const seen = shown(SECOND);
        const { sync } = model;
        let syncs = 0;
        model.sync = async () => {
            syncs++;
            await sync.call(model);
            setTimeout(() => Object.assign(model, { text: `${DISK}mine\n`, dirty: true }));
        };
        const backend = (undo as unknown as { backend: { mayUndoChange: unknown } }).backend;
        backend.mayUndoChange = () => new Promise(resolve => setTimeout(() => resolve(true), 5));
        expect(await undo.undo(change, seen)).to.equal('edited');
        expect(syncs).to.equal(1);
        expect(model.text).to.equal(`${DISK}mine\n`);
    });

    it('takes its edit back if the file cannot be saved', async () => {
        model.save = async () => void (world.disk = 'of somebody else\n');
        expect(await undo.undo(change, hunk())).to.equal('changed');
        expect(model.text).to.equal('of somebody else\n');
        expect(model.dirty).to.equal(false);
    });

    describe('of a file that no editor saves as it is', () => {
        /** As bytes that are no UTF-8. */
        const gbk = (text: string): string =>
            decodeRaw(new EncodingService().encode(text, { encoding: 'gbk', hasBOM: false }).buffer) ?? '';

        it('leaves the line ends of all other lines, where they are mixed', async () => {
            world.base = 'one\r\ntwo\nthree\r\nfour\n';
            world.disk = 'one\r\nTWO\nthree\r\nFOUR\n';
            expect(await undo.undo(change, { ...shown(SECOND, editorText(world.disk)), base: editorText(world.base) })).to.equal('done');
            expect(world.disk).to.equal('one\r\ntwo\nthree\r\nFOUR\n');
            expect(asked).to.deep.equal([{ version: 7, left: { text: world.disk } }]);
            expect(model.happened, 'it is not saved').to.deep.equal([]);
            expect(model.text, 'its editor shows it').to.equal('one\ntwo\nthree\nFOUR\n');
        });

        it('leaves all other bytes of another encoding, whatever the editor has read', async () => {
            world.base = gbk('中文\ntwo\n中\n三\n');
            world.disk = gbk('中文\nTWO\n中\n3\n');
            await model.sync();
            expect(await undo.undo(change, { ...shown(SECOND), base: editorText(world.base) })).to.equal('done');
            expect(world.disk).to.equal(gbk('中文\ntwo\n中\n3\n'));
            expect(fromWire((asked[0] as { left: { text: string } }).left.text)).to.equal(world.disk);
            const seen = hunk();
            world.disk = '中文\n';
            expect(await undo.undo(change, seen), 'it is another encoding by now').to.equal('changed');
        });

        it('is that of a proposal, too, in the encoding of the file', async () => {
            world.encoding = 'gbk';
            kept = { before: gbk('中文\n二\n'), after: gbk('中文\n2\n') };
            world.disk = gbk('中文\n2\nmore\n');
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect(world.disk).to.equal(gbk('中文\n二\nmore\n'));
            expect(model.encoding, 'Ctrl+Z and a save are in it, too').to.equal('gbk');
        });

        it('is none over what somebody else has written meanwhile, or over edits of the user', async () => {
            world.disk = 'one\r\nTWO\n';
            isOvertaken = true;
            await model.sync();
            expect(await undo.undo(change, { ...hunk(), text: 'one\nTWO\n' })).to.equal('changed');
            world.disk = gbk('中文\n');
            Object.assign(model, { text: 'mine', dirty: true });
            expect(await undo.undo(change, { ...hunk(), text: 'mine' })).to.equal('edited');
        });
    });

    it('asks the backend to take whole files back, and says what became of them', async () => {
        const other = { ...change, uri: `${FILE}x`, version: 8 };
        expect(await undo.undoFiles([change, other])).to.deep.equal({ done: [FILE], left: [{ uri: `${FILE}x`, reason: 'changed' }] });
        expect(asked).to.deep.equal([
            [
                { uri: FILE, version: 7 },
                { uri: `${FILE}x`, version: 8 }
            ]
        ]);
        expect(await undo.isAsShown(change, shown())).to.equal(true);
        expect(await undo.isAsShown(change, { ...shown(), text: 'another' })).to.equal(false);
        expect(await undo.isAsShown({ ...change, version: 8 }, shown())).to.equal(false);
    });

    it('takes the folders along that were made for a new file, and none that is older or held something', async () => {
        const deep = 'file:///ws/old/outer/inner';
        const remove = async (): Promise<unknown[]> => {
            [world.disk, world.base, deleted] = [DISK, undefined, []];
            kept = { after: DISK };
            expect(await undo.undoAccepted({ ...accepted, uri: FILE_IN_NEW_FOLDER })).to.equal('done');
            return deleted.slice(1);
        };
        folders = {
            [FILE_IN_NEW_FOLDER]: { madeAt: 50_000 },
            [deep]: { madeAt: 49_990, changedAt: 50_000, entries: ['new.ts'] },
            'file:///ws/old/outer': { madeAt: 49_980, changedAt: 49_990, entries: ['inner'] },
            'file:///ws/old': { madeAt: 10_000, changedAt: 49_980, entries: ['outer'] }
        };
        expect(await remove()).to.deep.equal([deep, 'file:///ws/old/outer']);
        folders[deep].changedAt = 60_000;
        expect(await remove(), 'another file was there').to.deep.equal([]);
        Object.assign(folders[deep], { changedAt: 50_000, entries: ['new.ts', 'other.ts'] });
        expect(await remove(), 'another file is there').to.deep.equal([]);
        folders[deep].entries = ['new.ts'];
        filled = deep;
        expect(await remove(), 'another file comes').to.deep.equal([]);
    });

    it('keeps one change, by its lines, also beside edits of the user; or the file', async () => {
        expect(await undo.keep(change, shown(FIFTH))).to.equal('done');
        Object.assign(model, { text: `mine\n${DISK}`, dirty: true });
        expect(await undo.keep(change, shown({ ...FIFTH, diskStart: 5, diskEnd: 6 }))).to.equal('done');
        expect(await undo.keep(change)).to.equal('done');
        expect(asked).to.deep.equal([
            { version: 7, lines: FIFTH },
            { version: 7, lines: FIFTH },
            { version: 7, lines: undefined }
        ]);
        Object.assign(model, { text: DISK, dirty: false });
        world.disk = `${DISK}more\n`;
        expect(await undo.keep(change, shown(FIFTH, DISK))).to.equal('changed');
    });

    describe('of a proposal that was accepted', () => {
        it('brings back the text before, saved, without the list: it is not asked', async () => {
            isAllowed = false;
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect([world.disk, asked, forgotten]).to.deep.equal([BASE, [], ['a at once', 'a']]);
            expect(model.edits).to.deep.equal(['TWO\n -> two\n', 'FIVE\n -> five\n']);
            expect(await undo.undoAccepted(accepted), 'undone by hand').to.equal('done');
            expect(world.disk).to.equal(BASE);
        });

        it('leaves what came afterwards, saved or not, and nothing happens where that is in the same lines', async () => {
            world.disk = `mine\n${DISK}more\n`;
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect(world.disk).to.equal(`mine\n${BASE}more\n`);
            world.disk = DISK;
            Object.assign(model, { text: `mine\n${DISK}`, dirty: true });
            expect(await undo.undoAccepted(accepted)).to.equal('unsaved');
            expect([model.text, world.disk]).to.deep.equal([`mine\n${BASE}`, DISK]);
            Object.assign(model, { dirty: false });
            world.disk = DISK.replace('FIVE', 'FIVE and mine');
            expect(await undo.undoAccepted(accepted)).to.equal('changed');
            expect(world.disk).to.equal(DISK.replace('FIVE', 'FIVE and mine'));
            expect(forgotten, 'it can be tried again').to.deep.equal(['a at once', 'a', 'a at once', 'a']);
        });

        it('is none where the backend keeps no text, or the CLI has written the file in another encoding', async () => {
            kept = undefined;
            expect(await undo.undoAccepted(accepted)).to.equal('changed');
            const gbk = '\uDCD6\uDCD0\n';
            world.disk = '\u4e2d\n';
            kept = { before: gbk, after: world.disk };
            await model.sync();
            expect(await undo.undoAccepted(accepted)).to.equal('changed');
            expect([world.disk, forgotten]).to.deep.equal(['\u4e2d\n', []]);
            world.disk = 'ASCII is in both\n';
            kept = { before: gbk, after: world.disk };
            await model.sync();
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect(world.disk).to.equal(gbk);
        });

        it('moves a new file to the trash, and only takes its lines out of one that has more', async () => {
            kept = { after: DISK };
            world.disk = `${DISK}more\n`;
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect(world.disk).to.equal('more\n');
            world.disk = DISK;
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect(deleted).to.deep.equal([[FILE, { useTrash: true }]]);
            expect(await undo.undoAccepted(accepted), 'it is gone').to.equal('changed');
            [world.disk, deleted] = [DISK, []];
            const uri = 'file:///ws/%5Bid%5D.ts';
            expect(await undo.undoAccepted({ ...accepted, uri }), 'the trash would take i.ts').to.equal('done');
            expect(deleted).to.deep.equal([[uri, { useTrash: false }]]);
        });

        it('replaces a text that is too long to be compared as a whole, and only if it is as it was written', async () => {
            const [base, text] = ['a', 'b'].map(line => `${line}\n`.repeat(600_000));
            world.disk = text;
            kept = { before: base, after: text };
            await model.sync();
            expect(await undo.undoAccepted(accepted)).to.equal('done');
            expect([world.disk === base, model.edits.length]).to.deep.equal([true, 1]);
            world.disk = `${text}more\n`;
            expect(await undo.undoAccepted(accepted)).to.equal('changed');
        });
    });
});
