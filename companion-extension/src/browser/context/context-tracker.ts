// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, FrontendApplicationContribution, NavigatableWidget, Widget } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import debounce = require('@theia/core/shared/lodash.debounce');
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { WorkspaceTrustService } from '@theia/workspace/lib/browser/workspace-trust-service';
import { CompanionLimits } from '../../common/companion-limits';
import { CompanionBackend, IdeContext } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { ContextFilter } from './context-filter';
import { ContextOutbox } from './context-outbox';
import { ContextState, selectedText, WithheldFile } from './context-state';

const DELAY_MS = 50;
const LONGEST_WAIT_MS = 200;
/** How long the backend may take to say where links lead. */
const LINKS_LIMIT_MS = 10_000;
/** The pages of Theia 1.74 for settings and for keys. They have no URI. */
const SETTINGS_PAGES = ['settings_widget', 'keybindings.view.widget'];

/** Follows what shows files, and sends the window's context to the backend. Promised: `shared`, `withheld` and `onDidChange`. @since 0.1 */
@injectable()
export class ContextTracker implements FrontendApplicationContribution {
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(WorkspaceTrustService)
    protected readonly trust: WorkspaceTrustService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'realPaths'>;
    @inject(ContextBackend)
    protected readonly contextBackend: ContextBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(ILogger)
    @named('companion:ContextTracker')
    protected readonly logger: ILogger;

    protected state: ContextState;
    protected outbox: ContextOutbox;
    /** Turns bursts of changes into few snapshots. Without the longest wait, a held cursor key would delay them forever. */
    protected readonly takeSnapshotSoon = debounce(() => this.takeSnapshot(), DELAY_MS, { maxWait: LONGEST_WAIT_MS });
    protected readonly onDidChangeEmitter = new Emitter<void>();
    /** Fires when {@link shared} or {@link withheld} may have changed. */
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected clearing = false;
    /** What shows a file and is no text editor. */
    protected readonly viewers = new WeakSet<Widget>();
    protected readonly toDispose = new DisposableCollection();

    @postConstruct()
    protected init(): void {
        this.state = new ContextState(this.filter);
        this.outbox = new ContextOutbox(this.connection.calls, this.contextBackend, this.logger);
        this.toDispose.pushAll([this.outbox, Disposable.create(() => this.takeSnapshotSoon.cancel())]);
    }

    /** The context that may be shared with CLIs now. */
    get shared(): IdeContext {
        return this.outbox.shared;
    }

    /** Fires when the backend has got a new context for the CLIs. */
    get onDidSend(): Event<void> {
        return this.outbox.onDidSend;
    }

    onStart(): void {
        const windowFocused = (): void => this.state.markLinksUnverified();
        window.addEventListener('focus', windowFocused);
        this.toDispose.pushAll([
            Disposable.create(() => window.removeEventListener('focus', windowFocused)),
            this.editors.onCreated(widget => this.track(widget)),
            this.editors.onCurrentEditorChanged(widget => this.handleFocus(widget)),
            // After Theia, which takes another visible editor for the current one then.
            this.shell.onDidChangeCurrentWidget(({ newValue }) => this.handleViewer(newValue)),
            this.files.onDidFilesChange(event => {
                const affected = this.state.paths.filter(path => event.contains(URI.fromFilePath(path)));
                if (affected.length > 0) {
                    void this.resolve(affected);
                }
            }),
            this.filter.onDidChange(() => this.takeSnapshotSoon()),
            this.trust.onDidChangeWorkspaceTrust(trusted => this.setTrusted(trusted)),
            this.connection.onDidHello(() => {
                void this.resolve(this.state.paths);
                this.sendAgain();
            }),
            this.connection.onDidFocus(links => {
                links.forEach(({ path, realPath }) => this.state.setRealPath(path, realPath));
                this.takeSnapshotSoon();
            })
        ]);
        this.editors.all.forEach(widget => this.track(widget));
        // Not awaited: there is no answer while Theia's trust dialog is open.
        this.trust.getWorkspaceTrust().then(
            trusted => this.setTrusted(trusted),
            () => undefined
        );
        // Editors that the layout restores are created before the shell is ready, and get their focus last.
        void this.appState.reachedState('ready').then(() => {
            this.handleFocus(this.editors.currentEditor);
            this.handleViewer(this.shell.currentWidget);
        });
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** The open files that are not shared, each with the rule that withholds it. */
    get withheld(): readonly WithheldFile[] {
        return this.state.withheld;
    }

    protected track(widget: EditorWidget): void {
        const path = this.pathOf(widget.getResourceUri());
        if (path === undefined) {
            return;
        }
        const { editor } = widget;
        const listeners = new DisposableCollection(
            editor.onCursorPositionChanged(() => this.readPosition(widget, path)),
            editor.onSelectionChanged(() => this.readPosition(widget, path)),
            editor.onFocusChanged(hasFocus => hasFocus && this.handleFocus(widget)),
            MonacoEditor.get(widget)?.document.onDidChangeContent(() => this.forgetHiddenSelection(widget, path)) ?? Disposable.NULL
        );
        widget.disposed.connect(() => listeners.dispose());
        this.trackPath(widget, path);
    }

    protected trackPath(widget: Widget, path: string): void {
        this.state.markOpened(path);
        void this.resolve([path]);
        widget.disposed.connect(() => {
            this.state.markClosed(path);
            this.takeSnapshotSoon();
        });
    }

    /** Reviews, untitled editors and settings as text have no path here: the file that had the focus before stays the active one. */
    protected handleFocus(widget: EditorWidget | undefined): void {
        const path = this.pathOf(widget?.getResourceUri());
        if (widget && path !== undefined) {
            this.markFocused(path, true);
            this.readPosition(widget, path);
        }
    }

    /**
     * A preview, an image, a notebook or a settings page has the focus: the text file behind it is not what the user looks at. A terminal
     * or a chat changes nothing.
     */
    protected handleViewer(widget: Widget | null | undefined): void {
        if (!widget || widget instanceof EditorWidget || this.shell.getAreaFor(widget) !== 'main') {
            return;
        }
        const uri = NavigatableWidget.getUri(widget);
        const path = this.pathOf(uri);
        if (path !== undefined) {
            if (!this.viewers.has(widget)) {
                this.viewers.add(widget);
                this.trackPath(widget, path);
            }
            this.markFocused(path, false);
            this.takeSnapshotSoon();
        } else if (uri || SETTINGS_PAGES.includes(widget.id)) {
            this.state.clearFocused();
            this.takeSnapshotSoon();
        }
    }

    protected markFocused(path: string, isText: boolean): void {
        this.state.markFocused(path, isText);
        if (this.state.isUnverified(path)) {
            // The answer comes before the snapshot that contains the file.
            void this.resolve([path]);
        }
    }

    /** A hidden editor of Theia 1.74 has no model, and reading its cursor throws. Then the last position stays. */
    protected readPosition(widget: EditorWidget, path: string): void {
        if (MonacoEditor.get(widget)?.getControl().getModel()) {
            this.state.setCursor(path, widget.editor.cursor);
            this.state.setSelection(path, selectedText(widget.editor));
        }
        this.takeSnapshotSoon();
    }

    /** A hidden editor does not know the text of its selection. */
    protected forgetHiddenSelection(widget: EditorWidget, path: string): void {
        if (!MonacoEditor.get(widget)?.getControl().getModel()) {
            this.state.setSelection(path, undefined);
            this.takeSnapshotSoon();
        }
    }

    /** The absolute path of a file that an editor shows, in a diff editor on the right side. Only `file:` URIs have one; reviews do not. */
    protected pathOf(uri: URI | undefined): string | undefined {
        return uri?.scheme === 'file' ? uri.path.fsPath() : undefined;
    }

    /** Only the backend can follow links. If it does not answer, and before the first hello, the page asks after the next hello. */
    protected async resolve(paths: readonly string[]): Promise<void> {
        const waiting = this.connection.greeted ? paths.filter(({ length }) => length <= CompanionLimits.path) : [];
        while (waiting.length > 0) {
            const some = waiting.splice(0, CompanionLimits.paths);
            try {
                const found = await this.connection.ask(() => this.backend.realPaths(some), LINKS_LIMIT_MS);
                some.forEach((path, index) => this.state.setRealPath(path, found[index] ?? undefined));
            } catch {
                return;
            }
            this.takeSnapshotSoon();
        }
    }

    /** One question at a time: a file system may not answer. */
    protected async clearDoubts(): Promise<void> {
        if (!this.clearing && this.state.unverified.length > 0) {
            this.clearing = true;
            await this.resolve(this.state.unverified);
            this.clearing = false;
        }
    }

    protected setTrusted(trusted: boolean): void {
        this.state.setTrusted(trusted);
        this.takeSnapshotSoon();
    }

    /** Sends soon even if nothing changed: the last snapshot may not have arrived. */
    sendAgain(): void {
        this.outbox.forget();
        this.takeSnapshotSoon();
    }

    protected takeSnapshot(): void {
        this.outbox.takeSnapshot(() => this.state.snapshot());
        this.onDidChangeEmitter.fire();
        void this.clearDoubts();
        if (this.connection.greeted) {
            this.outbox.send();
        }
    }
}
