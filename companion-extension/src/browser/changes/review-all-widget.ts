// SPDX-License-Identifier: Apache-2.0

import { animationFrame, BaseWidget, codicon, Message, Widget } from '@theia/core/lib/browser';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorPreferences } from '@theia/editor/lib/common/editor-preferences';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { Dimension } from '@theia/monaco-editor-core/esm/vs/base/browser/dom';
import { URI as MonacoUri } from '@theia/monaco-editor-core/esm/vs/base/common/uri';
import {
    DocumentDiffItemViewModel,
    MultiDiffEditorViewModel
} from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorViewModel';
import { MultiDiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorWidget';
import { IResourceLabel } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/workbenchUIElementFactory';
import { IDiffEditorConstructionOptions } from '@theia/monaco-editor-core/esm/vs/editor/browser/editorBrowser';
import { ITextModel } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { IModelService } from '@theia/monaco-editor-core/esm/vs/editor/common/services/model';
import { StandaloneServices } from '@theia/monaco-editor-core/esm/vs/editor/standalone/browser/standaloneServices';
import { IInstantiationService } from '@theia/monaco-editor-core/esm/vs/platform/instantiation/common/instantiation';
import { FileChange } from '../../common/changes/changes-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { tooSoonText } from '../diff/diff-editor';
import { AnswerGuard } from '../window/answer-guard';
import { KeyboardHold } from '../window/keyboard-hold';
import { WorkspacePaths } from '../window/workspace-paths';
import { ChangeDiffs, isCompared, ShownDiff } from './change-diff';
import { BASELINE_SCHEME } from './change-uris';
import { describeKind, emptyText } from './change-words';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { CHANGES_LIMIT_MS, PageChanges } from './page-changes';
import { HEADER_HEIGHT, ReviewAllFile, ReviewAllFileHost } from './review-all-file';
import { placeAt, ReviewAllFiles } from './review-all-files';

export const REVIEW_ALL_ID = 'companion-review-all';
/** Of files that have no texts to compare. */
const NO_TEXT_SCHEME = 'companion-no-text';
/** A file with more changed lines would push the next one far away. */
const MAX_OPEN_LINES = 2_000;
const MESSAGE_TIME_MS = 4_000;

/** All listed files below each other, to read, keep and undo: Monaco's own widget, with headers of ours. */
@injectable()
export class ReviewAllWidget extends BaseWidget {
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ChangeDiffs)
    protected readonly diffs: ChangeDiffs;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(KeyboardHold)
    protected readonly hold: KeyboardHold;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(EditorPreferences)
    protected readonly preferences: EditorPreferences;

    protected files: ReviewAllFiles<ReviewAllFile>;
    protected multi: MultiDiffEditorWidget;
    protected viewModel: MultiDiffEditorViewModel;
    protected readonly onDidChangeDocuments = new Emitter<void>();
    /** What Monaco shows. */
    protected readonly documents = { value: [] as readonly ReviewAllFile['document'][], onDidChange: this.onDidChangeDocuments.event };
    protected readonly empty = document.createElement('div');

    @postConstruct()
    protected init(): void {
        this.id = REVIEW_ALL_ID;
        this.title.label = nls.localize('theia/cli-companion/changes/reviewAll', 'Review All');
        this.title.caption = this.title.label;
        this.title.iconClass = codicon('diff-multiple');
        this.title.closable = true;
        this.addClass('companion-review-all');
        this.node.tabIndex = -1;
        this.empty.className = 'companion-changes-empty';
        const place = document.createElement('div');
        this.node.append(this.empty, place);
        const services = StandaloneServices.get(IInstantiationService);
        this.multi = new MultiDiffEditorWidget(place, { createResourceLabel: element => this.createHeader(element) }, services);
        this.viewModel = this.multi.createViewModel({ documents: this.documents });
        this.multi.setViewModel(this.viewModel);
        this.files = new ReviewAllFiles({
            listed: () => this.changes.toReview,
            make: change => this.make(change),
            show: files => this.showFiles(files)
        });
        this.toDispose.pushAll([this.multi, this.viewModel, this.files, this.onDidChangeDocuments]);
        this.toDispose.push(this.changes.onDidChange(() => this.refresh()));
        this.toDispose.push(this.diffs.attach(this, () => this.active && this.diffOf(this.active)));
        this.toDispose.push(this.onDidChangeVisibility(() => this.files.all.forEach(file => file.markShown())));
        this.node.addEventListener('focusin', ({ target }) => this.markActive(target as Element));
        this.node.addEventListener('click', event => this.openLine(event));
        this.node.addEventListener('keydown', event => this.openLine(event), true);
        this.refresh();
    }

    /** The file that the user was in last. */
    protected get active(): ReviewAllFile | undefined {
        const active = this.viewModel.activeDiffItem.get()?.documentDiffItem;
        const { all } = this.files;
        return all.find(({ item }) => item === active) ?? all[0];
    }

    protected diffOf(file: ReviewAllFile): ShownDiff {
        return { widget: this, editor: file, change: this.files.changeOf(file), goToFile: target => this.goToFile(file, target) };
    }

    protected goToFile(from: ReviewAllFile, target: 'next' | 'previous'): void {
        const { all } = this.files;
        const at = all.indexOf(from);
        // Once it is gone, the one behind it is active.
        const file = at < 0 ? this.active : all.at((at + (target === 'next' ? 1 : -1)) % all.length);
        file?.show(target === 'next' ? 'first' : 'last');
        if (this.node.contains(document.activeElement)) {
            file?.editor?.focus();
        }
    }

    protected override onResize(message: Widget.ResizeMessage): void {
        super.onResize(message);
        this.multi.layout(new Dimension(this.node.clientWidth, this.node.clientHeight));
        void this.wrapLeftSides();
    }

    /** Monaco (1.108) wraps no left side that it has hidden before, as it does first. */
    protected async wrapLeftSides(): Promise<void> {
        await animationFrame(3);
        const editors = this.isDisposed ? [] : this.files.all.flatMap(({ editor }) => editor ?? []);
        editors
            .filter(editor => editor.getContainerDomNode().querySelector('.side-by-side') !== null)
            .forEach(editor => editor.getOriginalEditor().updateOptions({ wordWrapOverride2: 'inherit' }));
    }

    protected override onActivateRequest(message: Message): void {
        super.onActivateRequest(message);
        // Its first files may come into view just now.
        this.hold.release();
        // Without a text there is nothing else.
        this.node.focus();
        const { active } = this;
        const withEditor = this.files.all.filter(({ hasTexts, editor }) => hasTexts && editor);
        (withEditor.find(file => file === active) ?? withEditor[0])?.editor?.focus();
    }

    protected refresh(): void {
        void this.files.update();
        const { list, toReview, trouble } = this.changes;
        this.empty.textContent = toReview.length > 0 ? '' : emptyText(list.tracking, trouble);
    }

    protected async make(change: FileChange): Promise<ReviewAllFile> {
        const toDispose = new DisposableCollection();
        const file = new URI(change.uri);
        const open = async (uri: URI): Promise<ITextModel> => {
            const opening = this.models.createModelReference(uri);
            const release = (): Promise<void> => opening.then(reference => reference.dispose()).catch(() => undefined);
            toDispose.push(Disposable.create(() => void release()));
            // A text may be lost with the connection.
            return (await withTimeLimit(opening, CHANGES_LIMIT_MS)).object.textEditorModel;
        };
        try {
            if (isCompared(change)) {
                // Into a new file the user may have typed.
                const original = await open(file.withScheme(BASELINE_SCHEME));
                const modified = change.kind === 'deleted' ? undefined : await open(file);
                const { added = 0, removed = 0 } = change;
                // The list may not know the numbers yet.
                const whole = change.kind === 'added' ? modified : change.kind === 'deleted' ? original : undefined;
                const startsClosed = (whole?.getLineCount() ?? added + removed) > MAX_OPEN_LINES;
                const item = { original, modified, options: this.optionsFor(change) };
                return new ReviewAllFile(this.host, item, toDispose, true, startsClosed);
            }
        } catch {
            // It is gone, or no text any more: its row will say so. Or nothing came in time.
            toDispose.dispose();
        }
        const uri = MonacoUri.parse(file.withScheme(NO_TEXT_SCHEME).withQuery(`${change.version}`).toString());
        const line = StandaloneServices.get(IModelService).createModel(describeKind(change), null, uri);
        const item = { original: line, modified: line, options: this.optionsFor(change) };
        return new ReviewAllFile(this.host, item, new DisposableCollection(line), false, true);
    }

    protected get host(): ReviewAllFileHost {
        const { multi, viewModel } = this;
        const say = (text: string): void => void this.messages.info(text, { timeout: MESSAGE_TIME_MS });
        return { widget: this, multi, viewModel, say };
    }

    protected optionsFor(change: FileChange): IDiffEditorConstructionOptions {
        const path = this.pathOf(change);
        const isNew = change.kind === 'added';
        const wrap = this.preferences['diffEditor.wordWrap'];
        return {
            originalAriaLabel: nls.localize('theia/cli-companion/changes/leftLabel', 'Before: {0}', path),
            modifiedAriaLabel: path,
            readOnly: true,
            ignoreTrimWhitespace: false,
            renderGutterMenu: false,
            overviewRulerLanes: 0,
            unusualLineTerminators: 'off',
            renderSideBySide: this.preferences['diffEditor.renderSideBySide'],
            // A change at the end of a long line would be kept unseen.
            diffWordWrap: wrap === 'inherit' ? 'on' : wrap,
            // As in its diff: without a red line for what was not there. Monaco's editor is one for several files: the others say it, too.
            compactMode: isNew,
            experimental: { useTrueInlineView: isNew },
            fontFamily: this.preferences['editor.fontFamily'],
            fontSize: this.preferences['editor.fontSize'],
            lineHeight: this.preferences['editor.lineHeight']
        };
    }

    /** Monaco (1.108) goes to its first file, and takes the keyboard, when the one that it calls active is gone. */
    protected showFiles(files: readonly ReviewAllFile[]): void {
        const items = this.viewModel.items.get();
        const at = Math.max(items.indexOf(this.viewModel.activeDiffItem.get() ?? items[0]), 0);
        const shown = new Set(files.map(({ item }) => item));
        const stays = ({ documentDiffItem }: DocumentDiffItemViewModel): boolean => shown.has(documentDiffItem);
        this.setActive([...items.slice(at), ...items.slice(0, at).reverse()].find(stays));
        const change = (): void => {
            // This notes the heights, too.
            const { top, left } = this.multi.getViewState().scrollState;
            const paths = new Set(files.map(({ uri }) => uri?.path));
            const place = placeAt(new Map(items.map(item => [pathOf(item), heightOf(item)])), top, path => paths.has(path));
            this.documents.value = files.map(file => file.document);
            this.onDidChangeDocuments.fire();
            files.forEach(file => file.markShown());
            const closed = files.flatMap(({ item, startsClosed }) => (startsClosed ? item : []));
            const now = this.viewModel.items.get();
            const closing = now.filter(item => !items.includes(item) && closed.includes(item.documentDiffItem));
            closing.forEach(({ collapsed }) => collapsed.set(true, undefined));
            if (place) {
                // Those that close have not been drawn yet.
                const heights = now.map(item => (closing.includes(item) ? HEADER_HEIGHT : heightOf(item)));
                const at = now.findIndex(item => pathOf(item) === place.file);
                const above = heights.slice(0, at).reduce((sum, height) => sum + height, 0);
                this.multi.setViewState({ scrollState: { top: above + place.hidden, left } });
            }
        };
        if (!this.node.contains(document.activeElement)) {
            void this.hold.stay(async () => change());
            return;
        }
        change();
        const { activeElement } = document;
        const isLost = !this.node.contains(activeElement) || !activeElement?.checkVisibility({ visibilityProperty: true });
        if (isLost || activeElement === this.node) {
            this.activate();
        }
    }

    protected setActive(item: DocumentDiffItemViewModel | undefined): void {
        if (item) {
            this.viewModel.activeDiffItem.setCache(item, undefined);
        }
    }

    protected fileAt(element: Element): ReviewAllFile | undefined {
        return this.files.all.find(file => file.contains(element));
    }

    /** Monaco (1.108) calls no file active that was clicked. */
    protected markActive(element: Element): void {
        this.setActive(this.fileAt(element)?.view);
    }

    /** Enter, or a click that selects nothing. */
    protected openLine(event: MouseEvent | KeyboardEvent): void {
        const target = event.target as Element;
        const isMeant = 'key' in event ? event.key === 'Enter' : target.closest('.view-lines') !== null;
        const file = isMeant ? this.fileAt(target) : undefined;
        const { editor } = file ?? {};
        const side = [editor?.getModifiedEditor(), editor?.getOriginalEditor()].find(one => one?.hasTextFocus());
        if (!file || !editor || !side?.getSelection()?.isEmpty()) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        const isRight = side === editor.getModifiedEditor();
        const line = isRight ? side.getPosition()?.lineNumber : editor.mapToOtherSide().destinationSelection?.startLineNumber;
        this.open(file, line);
    }

    protected open(file: ReviewAllFile, line?: number): void {
        const change = this.files.changeOf(file);
        if (change) {
            void this.diffs.show(change, { line });
        }
    }

    /** Monaco makes one for each editor, and names the file that the editor shows by now. */
    protected createHeader(element: HTMLElement): IResourceLabel {
        return {
            setUri: uri => {
                element.replaceChildren();
                const file = uri && this.files.all.find(each => each.uri === uri);
                const change = file && this.files.changeOf(file);
                if (change) {
                    this.files.reach(file);
                    this.fillHeader(element, file, change);
                    void this.wrapLeftSides();
                }
            },
            dispose: () => element.replaceChildren()
        };
    }

    protected fillHeader(element: HTMLElement, file: ReviewAllFile, change: FileChange): void {
        const path = this.pathOf(change);
        const addButton = (word: string, name: string, press: () => void): HTMLButtonElement => {
            const button = element.appendChild(document.createElement('button'));
            button.textContent = word;
            button.setAttribute('aria-label', name);
            button.addEventListener('click', press);
            return button;
        };
        const toggle = element.closest('.header')?.querySelector('.collapse-button a');
        toggle?.setAttribute('aria-label', nls.localize('theia/cli-companion/changes/collapse', 'Show or hide {0}', path));
        addButton(path, `${path}, ${describeKind(change)}`, () => this.open(file)).className = 'companion-review-all-file';
        const kind = element.appendChild(document.createElement('span'));
        kind.textContent = describeKind(change);
        const answers: ReadonlyArray<[string, Command, boolean]> = [
            [nls.localize('theia/cli-companion/changes/keep', 'Keep'), CHANGE_COMMANDS.KEEP_FILE, true],
            [nls.localize('theia/cli-companion/changes/undo', 'Undo'), CHANGE_COMMANDS.UNDO_FILE, change.canUndo]
        ];
        for (const [word, command, isOffered] of answers) {
            const button = addButton(word, `${command.label}: ${path}`, () => void this.answer(file, command));
            button.className = 'theia-button secondary';
            button.disabled = !isOffered;
        }
    }

    /** A press counts for the file and the texts that were there when the user aimed at them. */
    protected async answer(file: ReviewAllFile, { id }: Command): Promise<void> {
        this.setActive(file.view);
        if (!this.guard.takesAnswer(undefined, file.shownSince)) {
            file.say(tooSoonText());
        } else if (this.commands.isEnabled(id, this)) {
            this.guard.recordAnswer();
            await this.commands.executeCommand(id, this);
        }
    }

    protected pathOf({ uri }: FileChange): string {
        return visibleText(this.paths.display(new URI(uri).path.fsPath()));
    }
}

/** The same for all that show a file: one without a text is made anew for each version. */
function pathOf({ modifiedUri, originalUri }: DocumentDiffItemViewModel): string | undefined {
    return (modifiedUri ?? originalUri)?.path;
}

/** As it was last drawn, in pixels. */
function heightOf({ lastTemplateData }: DocumentDiffItemViewModel): number {
    return lastTemplateData.get().contentHeight;
}
