// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, BaseWidget, OpenerService, StatusBar, StatusBarEntry, Widget } from '@theia/core/lib/browser';
import { CommandHandler, CommandService } from '@theia/core/lib/common/command';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { MessageService } from '@theia/core/lib/common/message-service';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { MonacoWorkspace } from '@theia/monaco/lib/browser/monaco-workspace';
import { WorkspaceDeleteHandler } from '@theia/workspace/lib/browser/workspace-delete-handler';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo } from '../../common/companion-protocol';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { PROPOSAL } from '../../common/revision';
import { CompanionCommands } from '../companion-commands';
import { TestDialog } from '../test/dialog';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { FakeRegistries } from '../test/registries';
import { WorkspacePaths } from '../window/workspace-paths';
import { FileText } from './expected-write';
import { FileEditors } from './file-editors';
import { OriginalContents } from './original-contents';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { WrittenFiles } from './written-files';

interface Mark {
    readonly range: { readonly startLineNumber: number; readonly endLineNumber: number };
    readonly options: { readonly className?: string };
}

describe('Files that a CLI has written after an accept', () => {
    let written: WrittenFiles;
    let clock: sinon.SinonFakeTimers;
    let undo: CommandHandler | undefined;
    let review: PageReview;
    let disk: Map<string, FileText>;
    /** The text in the file's editor. */
    let editorText: string;
    let preference: string;
    let waiting: ReviewInfo[];
    let isTyping: boolean;
    let isCovered: boolean;
    let isDirty: boolean;
    /** Widgets other than text editors that show files, and what opens one. */
    let viewers: Widget[];
    let opened: Widget | undefined;
    let inFront: string;
    let revealed: string[];
    let statusText: string | undefined;
    let marks: Mark[];
    let notWritten: string[];
    let asked: unknown[];
    let deleted: string[];
    const onDidChange = new Emitter<PageReview>();
    const onDidFilesChange = new Emitter<{ contains(file: URI): boolean }>();
    const onDidType = new Emitter<void>();
    const onDidSave = new Emitter<MonacoEditorModel>();

    beforeEach(() => {
        TestDialog.enable();
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
        review = pageReview('a.txt', { modifiedAt: 1 });
        review.view = 'open';
        disk = new Map([[review.text.about.uri, { exists: true, text: 'one\ntwo\n' }]]);
        [editorText, preference, inFront] = ['one\ntwo\n', 'show', 'the tab beside the diff'];
        [waiting, isTyping, isCovered, isDirty] = [[], false, false, false];
        [viewers, opened] = [[], undefined];
        [revealed, marks, notWritten, asked, deleted, statusText] = [[], [], [], [], [], undefined];
        const services = new FakeServices();
        services.bind(FileService, {
            watch: () => Disposable.NULL,
            onDidFilesChange: onDidFilesChange.event,
            exists: async (file: URI) => disk.get(file.toString())?.exists === true
        });
        services.bind(OriginalContents, {
            shownOf: () => undefined,
            read: async (file: URI) => disk.get(file.toString()) ?? { exists: false, text: '' }
        });
        services.bind(ApplicationShell, {
            getCurrentWidget: () => inFront,
            get widgets() {
                return viewers;
            },
            revealWidget: async (id: string) => void revealed.push(id)
        });
        services.bind(OpenerService, { getOpener: async () => ({ open: async () => opened ?? fileEditor() }) });
        services.bind(FileEditors, {
            find: () => undefined,
            replace: async (_: URI, text: string, mayReplace: (model: MonacoEditorModel) => Promise<boolean>) => {
                const may = await mayReplace(model());
                editorText = may ? text : editorText;
                return may;
            }
        });
        services.bind(MonacoTextModelService, { get: () => ({ dirty: isDirty }) });
        services.bind(MonacoWorkspace, { onDidSaveTextDocument: onDidSave.event });
        services.bind(WorkspaceDeleteHandler, {
            execute: async ([file]: URI[]) => {
                deleted.push(file.toString());
                disk.delete(file.toString());
            }
        });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(PageReviews, {
            onDidChange: onDidChange.event,
            get here() {
                return waiting;
            }
        });
        services.bind(ReviewEditors, {
            editorsOf: () => [],
            place: () => ({}),
            get isCovered() {
                return isCovered;
            }
        });
        services.bind(ReviewFocus, {
            still: (_: URI, run: () => Promise<void>) => run(),
            get isTyping() {
                return isTyping;
            }
        });
        services.bind(ReviewMessages, {
            notWritten: ({ id }: ReviewInfo, _: string | undefined, askAgain: () => void) => {
                notWritten.push(id);
                askAgain();
            }
        });
        services.bind(MessageService, {});
        services.bind(CommandService, { executeCommand: async (...command: unknown[]) => void asked.push(command[0]) });
        services.bind(StatusBar, {
            setElement: async (_: string, { text }: StatusBarEntry) => (statusText = text),
            removeElement: async () => (statusText = undefined)
        });
        services.bind(CompanionPreferences, {
            get 'companion.review.afterAccept'() {
                return preference;
            }
        });
        services.bindNamed(ILogger, 'companion:WrittenFiles', { warn: () => undefined });
        written = services.create(WrittenFiles);
        written.onStart();
        const registered = new FakeRegistries();
        written.registerCommands(registered.commands);
        undo = registered.handlers.get(CompanionCommands.UNDO_ACCEPTED.id);
    });

    afterEach(() => {
        written.onStop();
        clock.restore();
        document.body.replaceChildren();
    });

    function model(): MonacoEditorModel {
        return {
            uri: review.text.about.uri,
            textEditorModel: { getValue: () => editorText },
            sync: async () => undefined
        } as unknown as MonacoEditorModel;
    }

    function fileEditor(): object {
        const control = {
            getModel: () => ({}),
            setPosition: () => undefined,
            revealPositionInCenterIfOutsideViewport: () => undefined,
            createDecorationsCollection: (made: Mark[]) => {
                marks = made;
                return { clear: () => (marks = []) };
            },
            onDidChangeModelContent: onDidType.event
        };
        const editor: object = Object.assign(Object.create(MonacoEditor.prototype), { document: model(), getControl: () => control });
        return Object.create(EditorWidget.prototype, { id: { value: 'the file' }, editor: { value: editor } }) as object;
    }

    /** The user accepts, and the diff closes. */
    async function accept(proposal = 'proposed\n'): Promise<void> {
        review.text.load({ review: review.info!, proposal });
        review.answer = { kind: 'accept', shown: { revision: PROPOSAL } };
        onDidChange.fire(review);
        await clock.tickAsync(1);
        review.answer = { ...review.answer, result: { result: 'done' } };
        review.view = 'closed';
        onDidChange.fire(review);
        await clock.tickAsync(1);
    }

    async function write(text = 'proposed\n'): Promise<void> {
        disk.set(review.text.about.uri, { exists: true, text });
        editorText = text;
        onDidFilesChange.fire({ contains: file => file.toString() === review.text.about.uri });
        await clock.tickAsync(1);
    }

    it('are announced in the status bar for half a minute, and shown', async () => {
        await accept();
        expect(statusText).to.equal(undefined);
        await write();
        expect(statusText).to.equal('a.txt written $(discard) Undo');
        expect(revealed).to.deep.equal(['the file']);
        await clock.tickAsync(30_000);
        expect(statusText).to.equal(undefined);
    });

    it('are said to differ where they do, and are undone as they are then', async () => {
        await accept();
        await write();
        await write('formatted\n');
        await clock.tickAsync(2_000);
        expect(statusText).to.equal('a.txt written, but not as you accepted it $(discard) Undo');
        await undo?.execute();
        expect(editorText).to.equal('one\ntwo\n');
        expect(undo?.isEnabled?.(), 'it was one write').to.equal(false);
    });

    it('are announced but not shown if that would cover what the user needs, or by preference', async () => {
        const reasons = [
            () => (preference = 'stay'),
            () => (waiting = [pageReview('other').info!]),
            () => (isTyping = true),
            () => (isCovered = true),
            () => (isDirty = true),
            () => (inFront = 'something else')
        ];
        for (const [index, happen] of reasons.entries()) {
            review = pageReview(`${index}.txt`);
            [preference, waiting, isTyping, isCovered, isDirty] = ['show', [], false, false, false];
            await accept();
            happen();
            await write();
            expect(statusText).to.equal(`${index}.txt written $(discard) Undo`);
        }
        expect(revealed).to.deep.equal([]);
    });

    it('have their changed lines marked for a moment, and until somebody types', async () => {
        await accept('one\nTWO\nthree\n');
        await write('one\nTWO\nthree\n');
        expect(marks.map(({ range, options }) => [range.startLineNumber, range.endLineNumber, options.className])).to.deep.equal([
            [2, 3, 'companion-written']
        ]);
        onDidType.fire();
        expect(marks).to.deep.equal([]);
    });

    it('are shown by what opens them in this product', async () => {
        opened = Object.assign(new BaseWidget(), { id: 'a notebook' });
        await accept();
        await write();
        expect(revealed).to.deep.equal(['a notebook']);
        expect(marks).to.deep.equal([]);
    });

    it('bring what shows them up to date, whatever it is, unless it has unsaved changes', async () => {
        let reverted = 0;
        const saveable = { dirty: false, revert: async () => void reverted++, onDirtyChanged: undefined, onContentChanged: undefined };
        const viewer = Object.assign(new BaseWidget(), {
            id: 'a notebook',
            saveable,
            getResourceUri: () => new URI(review.text.about.uri)
        });
        viewers = [Object.assign(viewer, { createMoveToUri: () => undefined })];
        await accept();
        await write();
        expect([revealed, reverted]).to.deep.equal([['a notebook'], 1]);
        saveable.dirty = true;
        review = pageReview('again', { uri: review.info!.uri, path: '/ws/a.txt' });
        await accept('again\n');
        await write('again\n');
        expect([revealed.length, reverted]).to.deep.equal([1, 1]);
    });

    it('have a mark where lines are gone', async () => {
        await accept('one\n');
        await write('one\n');
        expect(marks.map(({ range, options }) => [range.startLineNumber, options.className])).to.deep.equal([[1, 'companion-removed']]);
        await clock.tickAsync(6_000);
        expect(marks).to.deep.equal([]);
    });

    it('are undone in the editor, the last one first; saving is the user’s act', async () => {
        await accept();
        await write();
        review = pageReview('again', { uri: review.info!.uri, path: '/ws/a.txt', modifiedAt: 2 });
        await accept('again\n');
        await write('again\n');
        expect(undo?.isEnabled?.()).to.equal(true);
        await undo?.execute();
        expect(editorText).to.equal('proposed\n');
        await undo?.execute();
        expect(editorText).to.equal('one\ntwo\n');
        expect(undo?.isEnabled?.()).to.equal(false);
        expect(statusText).to.equal(undefined);
        expect(disk.get(review.text.about.uri)?.text).to.equal('again\n');
    });

    it('are undone only after a question if somebody has gone on in them', async () => {
        await accept();
        await write();
        editorText = 'proposed\nmore\n';
        clock.restore();
        const undoing = undo?.execute();
        expect(await TestDialog.answer('Cancel'))
            .to.include('Undo what Qwen Code wrote?')
            .and.to.include('a.txt has changed since then.');
        await undoing;
        expect(editorText).to.equal('proposed\nmore\n');
        expect(undo?.isEnabled?.(), 'it can still be undone').to.equal(true);
    });

    it('are moved to the trash by the undo if they were new', async () => {
        disk.clear();
        await accept();
        await write();
        await undo?.execute();
        expect(deleted).to.deep.equal(['file:///ws/a.txt']);
        expect(undo?.isEnabled?.()).to.equal(false);
    });

    it('cannot be undone if their text before is not known', async () => {
        disk.set(review.text.about.uri, { exists: true, text: undefined });
        await accept();
        await write();
        expect(statusText).to.equal(undefined);
        expect(undo?.isEnabled?.()).to.equal(false);
    });

    it('are not what an editor has saved', async () => {
        await accept();
        editorText = 'of the user\n';
        onDidSave.fire(model());
        await write('of the user\n');
        await clock.tickAsync(WRITE_TIME_MS);
        expect(statusText).to.equal(undefined);
    });

    it('that are not written are reported, and the CLI can be asked again', async () => {
        await accept();
        await clock.tickAsync(WRITE_TIME_MS);
        expect(notWritten).to.deep.equal(['a.txt']);
        expect(asked).to.deep.equal(['companion.review.askAgain']);
    });

    it('are no longer expected if the answer came late', async () => {
        await accept();
        review.answer = { kind: 'accept', shown: { revision: PROPOSAL }, result: { result: 'late', how: 'closed' } };
        onDidChange.fire(review);
        await write();
        await clock.tickAsync(WRITE_TIME_MS);
        expect([statusText, revealed, notWritten]).to.deep.equal([undefined, [], []]);
    });

    it('are not expected after a reject', async () => {
        review.answer = { kind: 'reject', shown: { revision: PROPOSAL }, result: { result: 'done' } };
        onDidChange.fire(review);
        await write();
        expect(statusText).to.equal(undefined);
    });
});
