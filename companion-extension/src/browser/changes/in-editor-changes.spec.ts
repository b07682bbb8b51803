// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { expect } from 'chai';
import { FileChange } from '../../common/changes/changes-protocol';
import { CompanionPreferences } from '../../common/companion-preferences';
import { DiffEditors } from '../diff/diff-editors';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { ChangeDiffs } from './change-diff';
import { EditorChanges } from './editor-changes';
import { InEditorChanges } from './in-editor-changes';
import { PageChanges } from './page-changes';

const FILE = 'file:///ws/a.ts';

describe('The files’ own editors', () => {
    let services: FakeServices;
    let inEditors: TestInEditors;
    let listed: Array<Partial<FileChange>>;
    let isOn: boolean;
    let happened: string[];
    let registries: FakeRegistries;
    let front: object | undefined;
    const onDidChange = new Emitter<void>();
    const onPreferenceChanged = new Emitter<{ preferenceName: string }>();
    const onCreated = new Emitter<EditorWidget>();
    const { get } = MonacoEditor;

    class TestInEditors extends InEditorChanges {
        protected override make(widget: EditorWidget): EditorChanges {
            happened.push(`${widget.editor.uri.path.base} shows them`);
            return {
                update: () => void happened.push('another row'),
                dispose: () => void happened.push(`${widget.editor.uri.path.base} shows none`)
            } as EditorChanges;
        }
    }

    beforeEach(() => {
        MonacoEditor.get = () => ({}) as MonacoEditor;
        [listed, isOn, happened, front, registries] = [[], true, [], undefined, new FakeRegistries()];
        services = new FakeServices();
        const all: EditorWidget[] = [];
        onCreated.event(widget => all.push(widget));
        services.bind(EditorManager, { all, onCreated: onCreated.event });
        services.bind(MonacoTextModelService, {});
        services.bind(PageChanges, { onDidChange: onDidChange.event, find: (uri: string) => listed.find(one => one.uri === uri) });
        services.bind(ChangeDiffs, { attach: () => ({ dispose: () => undefined }), find: () => front && { editor: front } });
        services.bind(DiffEditors, {});
        services.bind(CompanionPreferences, {
            get 'companion.changes.inEditor'() {
                return isOn;
            },
            onPreferenceChanged: onPreferenceChanged.event
        });
        inEditors = services.create(InEditorChanges, TestInEditors) as TestInEditors;
        inEditors.onStart();
    });

    afterEach(() => {
        inEditors.onStop();
        MonacoEditor.get = get;
    });

    function open(uri: string): { widget: EditorWidget; show(isVisible: boolean): void } {
        const widget = editorWidget(new URI(uri));
        let visible = true;
        const onDidChangeVisibility = new Emitter<boolean>();
        Object.defineProperty(widget, 'isVisible', { get: () => visible });
        Object.assign(widget, { onDidChangeVisibility: onDidChangeVisibility.event });
        onCreated.fire(widget);
        const show = (isVisible: boolean): void => {
            visible = isVisible;
            onDidChangeVisibility.fire(isVisible);
        };
        return { widget, show };
    }

    it('show what was changed as long as it is listed', () => {
        open(FILE);
        open('file:///ws/other.ts');
        open('diff:/?x');
        expect(happened).to.deep.equal([]);
        listed = [
            { uri: FILE, kind: 'modified' },
            { uri: 'file:///ws/other.ts', kind: 'binary' }
        ];
        onDidChange.fire();
        onDidChange.fire();
        listed = [];
        onDidChange.fire();
        expect(happened).to.deep.equal(['a.ts shows them', 'another row', 'a.ts shows none']);
    });

    it('read nothing before they are looked at, and end with their tab', () => {
        const { widget, show } = open(FILE);
        show(false);
        listed = [{ uri: FILE, kind: 'added' }];
        onDidChange.fire();
        expect(happened).to.deep.equal([]);
        show(true);
        widget.dispose();
        expect(happened).to.deep.equal(['a.ts shows them', 'a.ts shows none']);
    });

    it('follow the setting', () => {
        isOn = false;
        listed = [{ uri: FILE, kind: 'modified' }];
        open(FILE);
        isOn = true;
        onPreferenceChanged.fire({ preferenceName: 'companion.other' });
        expect(happened).to.deep.equal([]);
        onPreferenceChanged.fire({ preferenceName: 'companion.changes.inEditor' });
        isOn = false;
        onPreferenceChanged.fire({ preferenceName: 'companion.changes.inEditor' });
        expect(happened).to.deep.equal(['a.ts shows them', 'a.ts shows none']);
    });

    it('open the removed lines by a command, where the editor in front shows changes', async () => {
        inEditors.registerCommands(registries.commands);
        front = {};
        expect(registries.isEnabled('companion.changes.showRemoved'), 'a diff').to.equal(false);
        front = Object.assign(Object.create(EditorChanges.prototype) as object, { toggleRemoved: () => void happened.push('opened them') });
        await registries.execute('companion.changes.showRemoved');
        expect(happened).to.deep.equal(['opened them']);
    });
});
