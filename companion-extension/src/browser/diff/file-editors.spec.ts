// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { FileLooks } from './file-looks';
import { FileEditors, textOf } from './file-editors';

const FILE = new URI('file:///ws/a.txt');

describe('The editors of files that get a text', () => {
    let editors: FileEditors;
    let text: string;
    let model: { textEditorModel: object; dirty: boolean; onDidSaveModel: unknown; sync: unknown };
    let open: EditorWidget[];
    let isReadable: boolean;
    /** What is typed while the editor opens. */
    let meanwhile: string;
    /** What happened, in order. */
    let happened: string[];
    const onDidSave = new Emitter<void>();

    beforeEach(() => {
        [open, happened, isReadable] = [[], [], true];
        [text, meanwhile] = ['one\n', ''];
        const textEditorModel = {
            getValue: () => text,
            getFullModelRange: () => 'all',
            pushStackElement: () => happened.push('a step of undo'),
            pushEditOperations: (_: unknown, [edit]: Array<{ range: string; text: string }>) => {
                happened.push(`replaced ${edit.range}`);
                ({ text } = edit);
            }
        };
        model = { textEditorModel, dirty: true, onDidSaveModel: onDidSave.event, sync: async () => void happened.push('read again') };
        const services = new FakeServices();
        services.bind(FileLooks, { isReadable: async () => isReadable });
        services.bind(ApplicationShell, { activateWidget: async (id: string) => void happened.push(`activated ${id}`) });
        services.bind(EditorManager, {
            get all() {
                return open;
            },
            open: async () => {
                happened.push('opened');
                text += meanwhile;
                meanwhile = '';
            }
        });
        services.bind(MonacoTextModelService, {
            createModelReference: async () => ({ object: model, dispose: () => happened.push('released') }),
            get: () => model
        });
        editors = services.create(FileEditors);
    });

    it('open before the text is replaced, in one step of undo: Theia would open a second one', async () => {
        expect(await editors.replace(FILE, 'new\n', async () => true)).to.equal(true);
        expect(happened).to.deep.equal(['read again', 'opened', 'a step of undo', 'replaced all', 'a step of undo', 'released']);
        expect(textOf(model as never)).to.equal('new\n');
    });

    it('take no byte order mark into the text: Theia writes that of the file', async () => {
        await editors.replace(FILE, '\uFEFFnew\n', async () => true);
        expect(text).to.equal('new\n');
    });

    it('that are open get the keyboard, also while they are hidden', async () => {
        open = [editorWidget(new URI('file:///ws/b.txt')), editorWidget(FILE)];
        await editors.replace(FILE, 'new\n', async () => true);
        expect(happened[1]).to.equal('activated file:///ws/a.txt');
        expect(happened).not.to.include('opened');
    });

    it('ask again if the text has changed while the editor was opened', async () => {
        meanwhile = 'typed\n';
        const asked: string[] = [];
        const answers = [true, false];
        const isReplaced = await editors.replace(FILE, 'new\n', async () => {
            asked.push(text);
            return answers.shift() === true;
        });
        expect(isReplaced).to.equal(false);
        expect(asked).to.deep.equal(['one\n', 'one\ntyped\n']);
        expect(text).to.equal('one\ntyped\n');
    });

    it('stay as they are if the user does not want it', async () => {
        expect(await editors.replace(FILE, 'new\n', async () => false)).to.equal(false);
        expect(text).to.equal('one\n');
        expect(happened).to.deep.equal(['read again', 'released']);
    });

    it('stay as they are if the file cannot be read now', async () => {
        isReadable = false;
        expect(await editors.replace(FILE, 'new\n', async () => true)).to.equal(false);
        expect(happened).to.deep.equal([]);
    });
});
