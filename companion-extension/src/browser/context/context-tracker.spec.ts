// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, BaseWidget, Widget } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { Position } from '@theia/editor/lib/browser/editor';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { WorkspaceTrustService } from '@theia/workspace/lib/browser/workspace-trust-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { SystemClock } from '../../common/clock';
import { CompanionBackend, ContextSnapshot, OpenedLink } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { FakeServices } from '../test/fake-services';
import { Calls } from '../../common/calls';
import { CompanionConnection } from '../window/companion-connection';
import { ContextFilter } from './context-filter';
import { ContextTracker } from './context-tracker';

/** An editor of Monaco, and what the user does in it. */
class TestEditor {
    cursor: Position = { line: 0, character: 0 };
    selection = { start: this.cursor, end: this.cursor };
    /** Theia takes the model away while the editor is hidden. */
    isHidden = false;
    readonly onMove = new Emitter<void>();
    readonly onSelect = new Emitter<void>();
    readonly onFocus = new Emitter<boolean>();
    readonly onType = new Emitter<void>();
    readonly onClose = new Emitter<void>();
    readonly widget: EditorWidget;

    constructor(readonly uri: string) {
        const editor = {
            onCursorPositionChanged: this.onMove.event,
            onSelectionChanged: this.onSelect.event,
            onFocusChanged: this.onFocus.event,
            getControl: () => ({ getModel: () => (this.isHidden ? undefined : {}) }),
            document: {
                onDidChangeContent: this.onType.event,
                offsetAt: ({ character }: Position) => character,
                positionAt: (character: number) => ({ line: 0, character }),
                getText: () => 'selected'
            }
        };
        const monacoEditor: object = Object.create(MonacoEditor.prototype, {
            cursor: { get: () => this.cursor },
            selection: { get: () => this.selection },
            ...Object.fromEntries(Object.entries(editor).map(([name, value]) => [name, { value }]))
        });
        this.widget = {
            editor: monacoEditor,
            getResourceUri: () => new URI(uri),
            disposed: { connect: (run: () => void) => this.onClose.event(run) }
        } as unknown as EditorWidget;
    }
}

describe('The context that follows the editors', () => {
    let tracker: ContextTracker;
    let clock: sinon.SinonFakeTimers;
    let open: TestEditor[];
    let sent: ContextSnapshot[];
    /** Where links lead; other files lead to themselves. */
    let links: Map<string, string | undefined>;
    let asked: string[][];
    let isGreeted: boolean;
    let calls: Calls;
    /** What is asked gets no answer. */
    let isLost: boolean;
    let excluded: string[];
    let trust: Deferred<boolean>;
    const onCreated = new Emitter<EditorWidget>();
    const onCurrentEditorChanged = new Emitter<EditorWidget | undefined>();
    const onDidFilesChange = new Emitter<{ contains(file: URI): boolean }>();
    const onDidFilter = new Emitter<void>();
    const onDidHello = new Emitter<void>();
    const onDidFocus = new Emitter<OpenedLink[]>();
    const onDidTrust = new Emitter<boolean>();
    const onDidChangeCurrentWidget = new Emitter<{ newValue: Widget }>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000 });
        [open, sent, asked, excluded] = [[], [], [], []];
        links = new Map();
        isGreeted = true;
        isLost = false;
        calls = new Calls(new SystemClock(), () => true);
        trust = new Deferred();
        const services = new FakeServices();
        services.bind(EditorManager, {
            get all() {
                return open.map(({ widget }) => widget);
            },
            currentEditor: undefined,
            onCreated: onCreated.event,
            onCurrentEditorChanged: onCurrentEditorChanged.event
        });
        services.bind(ApplicationShell, {
            currentWidget: undefined,
            onDidChangeCurrentWidget: onDidChangeCurrentWidget.event,
            getAreaFor: ({ id }: Widget) => (id === 'side' ? 'left' : 'main')
        });
        services.bind(FileService, { onDidFilesChange: onDidFilesChange.event });
        services.bind(WorkspaceTrustService, { getWorkspaceTrust: () => trust.promise, onDidChangeWorkspaceTrust: onDidTrust.event });
        services.bind(FrontendApplicationStateService, { reachedState: async () => undefined });
        services.bind(ContextBackend, { updateContext: async (snapshot: ContextSnapshot) => void sent.push(snapshot) });
        services.bind(CompanionBackend, {
            realPaths: async (paths: string[]) => {
                asked.push(paths);
                await (isLost && new Promise(() => undefined));
                return paths.map(path => (links.has(path) ? links.get(path) : path));
            }
        });
        services.bind(CompanionConnection, {
            get greeted() {
                return isGreeted;
            },
            calls,
            ask: <T>(call: () => Promise<T>, limit: number) => calls.ask(call, limit),
            onDidHello: onDidHello.event,
            onDidFocus: onDidFocus.event
        });
        services.bind(ContextFilter, {
            sharing: true,
            isShared: (path: string) => !excluded.includes(path),
            onDidChange: onDidFilter.event
        });
        services.bindNamed(ILogger, 'companion:ContextTracker', { error: () => undefined });
        tracker = services.create(ContextTracker);
        tracker.onStart();
    });

    afterEach(() => {
        tracker.onStop();
        clock.restore();
    });

    /** Opens a file, with the keyboard. */
    function openFile(uri: string): TestEditor {
        const editor = new TestEditor(uri);
        open.push(editor);
        onCreated.fire(editor.widget);
        onCurrentEditorChanged.fire(editor.widget);
        return editor;
    }

    /** Gives the keyboard to what is no text editor. @param uri of what it shows, if it has one */
    function openViewer(uri: string | undefined, id = 'viewer'): Widget {
        const widget = Object.assign(new BaseWidget(), uri && { getResourceUri: () => new URI(uri), createMoveToUri: () => undefined });
        widget.id = id;
        onDidChangeCurrentWidget.fire({ newValue: widget });
        return widget;
    }

    /** The files that the CLIs have got last. */
    async function shared(): Promise<string[]> {
        await clock.tickAsync(300);
        return (sent.at(-1)?.context.workspaceState?.openFiles ?? []).map(({ path }) => path);
    }

    it('the context that follows the editors is sent with the newest file first, its cursor and its selection', async () => {
        openFile('file:///ws/a.ts');
        const editor = openFile('file:///ws/b.ts');
        editor.cursor = { line: 2, character: 5 };
        editor.selection = { start: { line: 2, character: 1 }, end: editor.cursor };
        editor.onSelect.fire();
        expect(await shared()).to.deep.equal(['/ws/b.ts', '/ws/a.ts']);
        expect(sent.at(-1)?.context.workspaceState?.openFiles?.[0]).to.deep.include({
            isActive: true,
            cursor: { line: 3, character: 6 },
            selectedText: 'selected'
        });
    });

    it('the context that follows the editors is sent once for a burst of changes, and not again if nothing has changed', async () => {
        const editor = openFile('file:///ws/a.ts');
        for (let line = 1; line <= 5; line++) {
            editor.cursor = { line, character: 0 };
            editor.onMove.fire();
        }
        await shared();
        expect(sent).to.have.length(1);
        editor.onMove.fire();
        await shared();
        expect(sent).to.have.length(1);
    });

    it('the context that follows the editors is sent while a cursor key is held down', async () => {
        const editor = openFile('file:///ws/a.ts');
        for (let line = 1; line <= 20; line++) {
            editor.cursor = { line, character: 0 };
            editor.onMove.fire();
            await clock.tickAsync(30);
        }
        expect(sent.length).to.be.within(2, 4);
    });

    it('forgets a file that is closed, and its listeners', async () => {
        const editor = openFile('file:///ws/a.ts');
        openFile('file:///ws/b.ts');
        editor.onClose.fire();
        expect(await shared()).to.deep.equal(['/ws/b.ts']);
        editor.onFocus.fire(true);
        expect(await shared()).to.deep.equal(['/ws/b.ts']);
    });

    it('leaves the active file as it is while a review or a new file has the keyboard', async () => {
        openFile('file:///ws/a.ts');
        openFile('companion-proposed://id/ws/b.ts');
        openFile('untitled:/c.ts');
        expect(await shared()).to.deep.equal(['/ws/a.ts']);
        expect(sent.at(-1)?.context.workspaceState?.openFiles?.[0].isActive).to.equal(true);
    });

    it('the context that follows the editors has the file of a preview, an image or a notebook that is in front, without a cursor, until it is closed', async () => {
        openFile('file:///ws/notes.md');
        const preview = openViewer('file:///ws/notes.md');
        expect(await shared()).to.deep.equal(['/ws/notes.md']);
        const [file] = sent.at(-1)?.context.workspaceState?.openFiles ?? [];
        expect(file.isActive).to.equal(true);
        expect(file).not.to.have.any.keys('cursor', 'selectedText');
        const image = openViewer('file:///ws/a.png');
        openViewer('file:///ws/notes.md').dispose();
        onDidChangeCurrentWidget.fire({ newValue: image });
        expect(await shared()).to.deep.equal(['/ws/a.png', '/ws/notes.md']);
        image.dispose();
        preview.dispose();
        expect(await shared()).to.deep.equal(['/ws/notes.md']);
    });

    it('the context that follows the editors has no active file while settings are in front', async () => {
        const editor = openFile('file:///ws/a.ts');
        for (const [uri, id] of [[undefined, 'settings_widget'], ['webview:/page'], [undefined, 'keybindings.view.widget']] as const) {
            editor.onFocus.fire(true);
            await shared();
            expect(sent.at(-1)?.context.workspaceState?.openFiles?.[0].isActive).to.equal(true);
            openViewer(uri, id);
            expect(await shared()).to.deep.equal(['/ws/a.ts']);
            expect(sent.at(-1)?.context.workspaceState?.openFiles?.[0].isActive).to.equal(undefined);
        }
    });

    it('the context that follows the editors stays as it is while a terminal, a chat or a side bar has the keyboard', async () => {
        openFile('file:///ws/a.ts');
        openViewer(undefined, 'chat');
        openViewer('file:///ws/b.ts', 'side');
        expect(await shared()).to.deep.equal(['/ws/a.ts']);
        expect(sent.at(-1)?.context.workspaceState?.openFiles?.[0].isActive).to.equal(true);
    });

    it('keeps the last position of an editor that is hidden, without a selection whose text has changed', async () => {
        const editor = openFile('file:///ws/a.ts');
        editor.cursor = { line: 2, character: 5 };
        editor.selection = { start: { line: 2, character: 1 }, end: editor.cursor };
        editor.onSelect.fire();
        await shared();
        editor.isHidden = true;
        editor.cursor = { line: 0, character: 0 };
        editor.onMove.fire();
        editor.onType.fire();
        await shared();
        const [file] = sent.at(-1)?.context.workspaceState?.openFiles ?? [];
        expect(file.cursor).to.deep.equal({ line: 3, character: 6 });
        expect(file).not.to.have.any.keys('selectedText', 'selection');
    });

    it('does not have a file that is gone, or a link to a file that is withheld', async () => {
        links.set('/ws/gone.ts', undefined).set('/ws/link.ts', '/ws/.env');
        excluded = ['/ws/.env'];
        ['gone.ts', 'link.ts', 'a.ts'].forEach(name => openFile(`file:///ws/${name}`));
        expect(await shared()).to.deep.equal(['/ws/a.ts']);
        expect(tracker.withheld.map(({ path }) => path)).to.deep.equal(['/ws/link.ts']);
    });

    it('asks again where a file leads that has changed on disk', async () => {
        openFile('file:///ws/a.ts');
        await shared();
        links.set('/ws/a.ts', undefined);
        onDidFilesChange.fire({ contains: file => file.path.toString() === '/ws/a.ts' });
        expect(await shared()).to.deep.equal([]);
    });

    it('does not have a file from before the window was away until it is known where it leads now', async () => {
        excluded = ['/ws/a.ts'];
        openFile('file:///ws/a.ts');
        await shared();
        window.dispatchEvent(new window.Event('focus'));
        links.set('/ws/a.ts', '/ws/secret');
        excluded = ['/ws/secret'];
        onDidFilter.fire();
        expect(await shared()).to.deep.equal([]);
        expect(asked.at(-1)).to.deep.equal(['/ws/a.ts']);
    });

    it('asks where such files lead also after an answer was lost with its connection', async () => {
        const comesBackFor = (path: string): void => {
            window.dispatchEvent(new window.Event('focus'));
            excluded = excluded.filter(other => other !== path);
            onDidFilter.fire();
        };
        excluded = ['/ws/a.ts', '/ws/b.ts'];
        ['a.ts', 'b.ts'].forEach(name => openFile(`file:///ws/${name}`));
        await shared();
        isLost = true;
        comesBackFor('/ws/a.ts');
        expect(await shared()).to.deep.equal([]);
        isLost = false;
        calls.recover();
        onDidHello.fire();
        expect(await shared()).to.deep.equal(['/ws/a.ts']);
        comesBackFor('/ws/b.ts');
        expect(await shared()).to.deep.equal(['/ws/b.ts', '/ws/a.ts']);
    });

    it('follows what the backend says about links after the window got the focus', async () => {
        openFile('file:///ws/a.ts');
        await shared();
        onDidFocus.fire([{ path: '/ws/a.ts' }]);
        expect(await shared()).to.deep.equal([]);
    });

    it('follows the filter at once', async () => {
        openFile('file:///ws/a.ts');
        await shared();
        excluded = ['/ws/a.ts'];
        onDidFilter.fire();
        expect(await shared()).to.deep.equal([]);
    });

    it('the context that follows the editors is sent after the first hello, and after each one again', async () => {
        isGreeted = false;
        openFile('file:///ws/a.ts');
        await shared();
        expect(sent).to.deep.equal([]);
        expect(asked).to.deep.equal([]);
        isGreeted = true;
        onDidHello.fire();
        expect(await shared()).to.deep.equal(['/ws/a.ts']);
        onDidHello.fire();
        await shared();
        expect(sent).to.have.length(2);
    });

    it('says whether the workspace is trusted as soon as that is known, and when it changes', async () => {
        openFile('file:///ws/a.ts');
        await shared();
        expect(sent.at(-1)?.context.workspaceState).not.to.have.any.keys('isTrusted');
        trust.resolve(true);
        await shared();
        expect(sent.at(-1)?.context.workspaceState?.isTrusted).to.equal(true);
        onDidTrust.fire(false);
        await shared();
        expect(sent.at(-1)?.context.workspaceState?.isTrusted).to.equal(false);
    });
});
