// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, DiffUris, SaveReason } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { DiffEditor } from '../diff/diff-editor';
import { DiffEditors } from '../diff/diff-editors';
import { KeptEdit, ReviewSave } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { REVIEW_COMMANDS } from './review-command-ids';
import { TestDialog } from '../test/dialog';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { monacoModel, typeAtEnd } from '../test/monaco-model';
import { FakeRegistries } from '../test/registries';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { FileEditors } from '../diff/file-editors';
import { FileLooks } from '../diff/file-looks';
import { KeptEditMessages } from './kept-edit-messages';
import { KeptEdits } from './kept-edits';
import { OriginalContents } from '../diff/original-contents';
import { ReviewUris } from './review-uris';

describe('Edits that are kept', () => {
    let edits: KeptEdits;
    let registered: FakeRegistries;
    let listed: KeptEdit[];
    /** Texts that the backend has, by the edits' ids. */
    let texts: Map<string, string>;
    let isOnDisk: boolean;
    let fileText: string;
    let opened: string[];
    let closed: string[];
    let said: string[];
    let answer: string | undefined;
    let offered: string[][];
    let saved: ReviewSave[];
    let notNeeded: ReviewSave[];
    let dropped: string[];
    /** The real ones, for a test with a real model of the file. */
    let fileEditors: FileEditors | undefined;
    let widgets: EditorWidget[];
    let untitled: Map<string, string>;
    /** The condition of the keys. */
    let takesKeys: boolean;
    let active: EditorWidget | undefined;
    const onDidChangeState = new Emitter<void>();
    const onCreated = new Emitter<EditorWidget>();
    const onDidChangeActiveWidget = new Emitter<void>();

    beforeEach(() => {
        TestDialog.enable();
        listed = [kept('first')];
        texts = new Map([['first', 'one\ntyped\n']]);
        isOnDisk = true;
        fileText = 'one\n';
        [opened, closed, said, offered, saved, notNeeded, dropped, widgets] = [[], [], [], [], [], [], [], []];
        [answer, active, fileEditors] = [undefined, undefined, undefined];
        takesKeys = false;
        untitled = new Map();
        const services = new FakeServices();
        services.bind(ReviewBackend, {
            readEdit: async (id: string) => texts.get(id),
            discardEdit: async (id: string) => void texts.delete(id),
            saveReview: async (save: ReviewSave) => void saved.push(save)
        });
        services.bind(CompanionConnection, {
            get state() {
                return { keptEdits: listed };
            },
            onDidChangeState: onDidChangeState.event,
            ask: (make: () => Promise<unknown>) => make(),
            calls: { call: (_: string, { make }: { make(): unknown }) => make(), drop: (key: string) => dropped.push(key) }
        });
        services.bind(DiffEditors, {
            create: (widget: EditorWidget) => new DiffEditor(widget, { contributions: [], keysOf: () => [], run: () => undefined })
        });
        services.bind(EditorManager, {
            onCreated: onCreated.event,
            get all() {
                return widgets;
            },
            open: async (uri: URI) => void opened.push(uri.toString())
        });
        services.bind(FileEditors, {
            replace: async (...how: Parameters<FileEditors['replace']>) => {
                const [, text, mayReplace] = how;
                if (fileEditors) {
                    return fileEditors.replace(...how);
                }
                const model = { uri: 'file:///ws/first', textEditorModel: { getValue: () => fileText } } as unknown as MonacoEditorModel;
                const may = await mayReplace(model);
                fileText = may ? text : fileText;
                return may;
            }
        });
        services.bind(UntitledResourceResolver, {
            has: (uri: URI) => untitled.has(uri.toString()),
            createUntitledURI: () => new URI('untitled:/another'),
            createUntitledResource: async (text: string, _: unknown, uri: URI) => void untitled.set(uri.toString(), text)
        });
        services.bind(OriginalContents, { read: async () => ({ exists: isOnDisk, text: '' }) });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(MessageService, {
            info: async (text: string, ...rest: unknown[]) => {
                said.push(text);
                return rest.includes(answer) ? answer : undefined;
            },
            error: async (text: string) => void said.push(`error: ${text}`)
        });
        services.bind(KeptEditMessages, {
            update: (all: KeptEdit[]) => offered.push(all.map(({ id }) => id)),
            rememberText: (save: ReviewSave) => notNeeded.push(save)
        });
        services.bind(ApplicationShell, {
            onDidChangeActiveWidget: onDidChangeActiveWidget.event,
            get activeWidget() {
                return active;
            }
        });
        services.bind(ContextKeyService, { createKey: () => ({ set: (value: boolean) => (takesKeys = value) }) });
        edits = services.create(KeptEdits);
        edits.onStart();
        registered = new FakeRegistries();
        edits.registerCommands(registered.commands);
    });

    afterEach(() => {
        edits.onStop();
        document.body.replaceChildren();
    });

    function kept(id: string): KeptEdit {
        return {
            id,
            reviewId: 'review',
            path: `/ws/${id}`,
            uri: `file:///ws/${id}`,
            cliName: 'Qwen Code',
            reason: 'rejected',
            keptAt: 1,
            daysLeft: 30
        };
    }

    /** The diff of an edit, with the keyboard. */
    function openDiff(id: string): EditorWidget {
        const widget = editorWidget(ReviewUris.uriOfEdit(kept(id)));
        widget.close = () => void closed.push(id);
        widgets.push(widget);
        onCreated.fire(widget);
        active = widget;
        return widget;
    }

    function button(widget: EditorWidget, label: string): HTMLElement {
        return [...widget.node.querySelectorAll('button')].filter(({ textContent }) => textContent === label)[0];
    }

    it('an edit opens beside its file', async () => {
        await registered.execute(REVIEW_COMMANDS.SHOW_EDIT.id, listed[0]);
        const [left, right] = DiffUris.decode(new URI(opened[0]));
        expect(ReviewUris.fileOf(left).toString()).to.equal('file:///ws/first');
        expect(ReviewUris.editIdOf(right)).to.equal('first');
        expect(new URI(opened[0]).path.base).to.equal('first (your edits)');
    });

    it('an edit whose diff is open gets the keyboard; no second diff opens', async () => {
        const widget = openDiff('first');
        await edits.show(listed[0]);
        expect(opened).to.deep.equal([widget.editor.uri.toString()]);
    });

    it('an edit without a file opens as a new file with its name, once', async () => {
        isOnDisk = false;
        await edits.show(listed[0]);
        await edits.show(listed[0]);
        expect(opened).to.deep.equal(['untitled:/ws/first', 'untitled:/ws/first']);
        expect([...untitled]).to.deep.equal([['untitled:/ws/first', 'one\ntyped\n']]);
    });

    it('an edit without a file does not take the name of another new file', async () => {
        isOnDisk = false;
        untitled.set('untitled:/ws/first', 'somebody’s');
        await edits.show(listed[0]);
        expect(opened).to.deep.equal(['untitled:/another']);
        expect(untitled.get('untitled:/ws/first')).to.equal('somebody’s');
    });

    it('an edit that is no longer kept opens nothing and says so', async () => {
        texts.clear();
        await edits.show(listed[0]);
        expect(opened).to.deep.equal([]);
        expect(said).to.deep.equal(['Your edits to first are no longer kept.']);
    });

    it('Apply puts the edit into the file and closes the diff; the edit stays until the backend sees that the file has it', async () => {
        const widget = openDiff('first');
        expect(widget.node.textContent).to.include('Left: the file. Right: your edits.');
        button(widget, 'Apply').click();
        await TestDialog.settled();
        expect(fileText).to.equal('one\ntyped\n');
        expect(closed).to.deep.equal(['first']);
        expect(edits.all.map(({ id }) => id)).to.deep.equal(['first']);
        expect([...texts.keys()]).to.deep.equal(['first']);
        listed = [];
        expect(edits.all).to.deep.equal([]);
    });

    it('Apply discards nothing, whatever is done with the file then: it is taken back, or a second edit is applied over it', async () => {
        let disk = 'one\n';
        const uri = new URI('file:///ws/first');
        const model = await monacoModel(MonacoEditorModel, {
            uri,
            readContents: async () => disk,
            saveContents: async content => void (disk = content),
            dispose: () => undefined
        });
        const services = new FakeServices();
        services.bind(FileLooks, { isReadable: async () => true });
        services.bind(ApplicationShell, {});
        services.bind(EditorManager, { all: [], open: async () => undefined });
        services.bind(MonacoTextModelService, { createModelReference: async () => ({ object: model, dispose: () => undefined }) });
        fileEditors = services.create(FileEditors);
        const save = (): Promise<unknown> => Promise.resolve(model.save({ saveReason: SaveReason.Manual }));
        await edits.apply(openDiff('first'));
        expect(model.textEditorModel.getValue()).to.equal('one\ntyped\n');
        await model.textEditorModel.undo();
        typeAtEnd(model, 'two\n');
        await save();
        expect([disk, ...texts.keys()]).to.deep.equal(['one\ntwo\n', 'first']);
        texts.set('second', 'one\ntwo\nthree\n');
        for (const id of ['first', 'second']) {
            const applying = edits.apply(openDiff(id));
            await TestDialog.answer('Apply');
            await applying;
        }
        await save();
        expect([disk, ...texts.keys()]).to.deep.equal(['one\ntwo\nthree\n', 'first', 'second']);
        model.dispose();
    });

    it('Apply says how many lines of the file it changes and removes; Cancel changes nothing', async () => {
        fileText = 'one\ntwo\nwritten meanwhile\n';
        const applying = edits.apply(openDiff('first'));
        expect(await TestDialog.answer('Cancel')).to.include(
            'This changes 1 and removes 1 lines of the file as it is now. Undo restores them.'
        );
        await applying;
        expect(fileText).to.equal('one\ntwo\nwritten meanwhile\n');
        expect(closed).to.deep.equal([]);
    });

    it('Apply asks again about what was typed into the file while the question was open', async () => {
        fileText = 'one\ntwo\n';
        const applying = edits.apply(openDiff('first'));
        await TestDialog.settled();
        fileText = 'one\ntwo\nthree\n';
        expect(await TestDialog.answer('Apply')).to.include('changes 1 and removes 0 lines');
        expect(fileText).to.equal('one\ntwo\nthree\n');
        expect(await TestDialog.answer('Apply')).to.include('changes 1 and removes 1 lines');
        await applying;
        expect(fileText).to.equal('one\ntyped\n');
    });

    it('Discard closes what shows the edit, and takes it from the list before the backend has', async () => {
        const widget = openDiff('first');
        button(widget, 'Discard').click();
        await TestDialog.settled();
        expect(closed).to.deep.equal(['first']);
        expect(texts.has('first')).to.equal(false);
        expect(edits.all).to.deep.equal([]);
        onDidChangeState.fire();
        expect(offered.at(-1)).to.deep.equal([]);
    });

    it('Discard can be undone: the text is saved as an edit of its own, and no message offers it again', async () => {
        answer = 'Undo';
        await registered.execute(REVIEW_COMMANDS.DISCARD_EDIT.id, listed[0]);
        await TestDialog.settled();
        expect(said).to.deep.equal(['Your edits to first were discarded.']);
        expect(saved.map(({ text, apart, base }) => ({ text, apart, base }))).to.deep.equal([
            { text: 'one\ntyped\n', apart: true, base: [] }
        ]);
        expect(notNeeded).to.deep.equal(saved);
        expect(dropped, 'made again, it would take the edit away').to.deep.equal(['discard first']);
    });

    it('commands and keys are there only while the diff of an edit has the keyboard', async () => {
        const { id } = REVIEW_COMMANDS.APPLY_EDITS;
        expect(registered.isEnabled(id)).to.equal(false);
        active = editorWidget(new URI('file:///ws/first'));
        onDidChangeActiveWidget.fire();
        expect([registered.isEnabled(id), takesKeys]).to.deep.equal([false, false]);
        openDiff('first');
        onDidChangeActiveWidget.fire();
        expect([registered.isEnabled(id), takesKeys]).to.deep.equal([true, true]);
        await registered.execute(id);
        await TestDialog.settled();
        expect(fileText).to.equal('one\ntyped\n');
    });

    it('the keys are those of a review, and AltGr types', () => {
        edits.registerKeybindings(registered.keybindings);
        expect(registered.keys).to.deep.equal([
            'ctrlcmd+enter: companion.edits.apply (editorTextFocus && companionKeptEditActive)',
            'ctrlcmd+alt+backspace: companion.edits.discard (editorTextFocus && companionKeptEditActive && !companionAltGraph)'
        ]);
    });

    it('a failure of the backend is said, and the diff stays open', async () => {
        const widget = openDiff('first');
        texts.get = () => {
            throw new Error('No answer.');
        };
        await edits.apply(widget);
        expect(said).to.deep.equal(['error: No answer.']);
        expect(closed).to.deep.equal([]);
    });
});
