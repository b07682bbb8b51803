// SPDX-License-Identifier: Apache-2.0

import { animationFrame, BaseWidget, codicon, Message, Widget } from '@theia/core/lib/browser';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorPreferences } from '@theia/editor/lib/common/editor-preferences';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { Dimension } from '@theia/monaco-editor-core/esm/vs/base/browser/dom';
import { URI as MonacoUri } from '@theia/monaco-editor-core/esm/vs/base/common/uri';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { RefCounted } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/utils';
import { IDocumentDiffItem } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/model';
import {
    DocumentDiffItemViewModel,
    MultiDiffEditorViewModel
} from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorViewModel';
import { MultiDiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorWidget';
import { IResourceLabel } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/workbenchUIElementFactory';
import { IDiffEditorConstructionOptions } from '@theia/monaco-editor-core/esm/vs/editor/browser/editorBrowser';
import { EndOfLinePreference, ITextModel } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { IModelService } from '@theia/monaco-editor-core/esm/vs/editor/common/services/model';
import { StandaloneServices } from '@theia/monaco-editor-core/esm/vs/editor/standalone/browser/standaloneServices';
import { IInstantiationService } from '@theia/monaco-editor-core/esm/vs/platform/instantiation/common/instantiation';
import { FileChange } from '../../common/changes/changes-protocol';
import { isAimedAt } from '../../common/companion-limits';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { KeyboardHold } from '../window/keyboard-hold';
import { WorkspacePaths } from '../window/workspace-paths';
import { ChangeDiffs, isCompared } from './change-diff';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeUndo } from './change-undo';
import { BASELINE_SCHEME } from './change-uris';
import { describeKind, emptyText } from './change-words';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { CHANGES_LIMIT_MS, PageChanges } from './page-changes';
import { placeAt, ReviewAllFiles, ShownFile } from './review-all-files';

export const REVIEW_ALL_ID = 'companion-review-all';
/** Of files that have no texts to compare. */
const NO_TEXT_SCHEME = 'companion-no-text';
/** A file with more changed lines would push the next one far away. */
const MAX_OPEN_LINES = 2_000;

/** A file in Monaco's widget. */
interface MultiDiffFile extends ShownFile {
    /** By which Monaco names it. */
    readonly uri: MonacoUri | undefined;
    readonly item: IDocumentDiffItem;
    /** Only its header is shown until the user opens it. */
    readonly startsClosed: boolean;
    /** When a text of it changed last, as `performance.now()` counts. */
    changedAt: number;
    readonly document: RefCounted<IDocumentDiffItem>;
}

/** All listed files below each other, to read, keep and undo: Monaco's own widget, with headers of ours. */
@injectable()
export class ReviewAllWidget extends BaseWidget {
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ChangeDiffs)
    protected readonly diffs: ChangeDiffs;
    @inject(ChangeUndo)
    protected readonly changeUndo: ChangeUndo;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(ChangeOutcomes)
    protected readonly outcomes: ChangeOutcomes;
    @inject(KeyboardHold)
    protected readonly hold: KeyboardHold;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(EditorPreferences)
    protected readonly preferences: EditorPreferences;

    protected files: ReviewAllFiles<MultiDiffFile>;
    protected multi: MultiDiffEditorWidget;
    protected viewModel: MultiDiffEditorViewModel;
    protected readonly onDidChangeDocuments = new Emitter<void>();
    /** What Monaco shows. */
    protected readonly documents = { value: [] as readonly MultiDiffFile['document'][], onDidChange: this.onDidChangeDocuments.event };
    protected readonly empty = document.createElement('div');
    /** When other files came to the place of some, as `performance.now()` counts. */
    protected movedAt = -Infinity;

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
        this.node.addEventListener('focusin', ({ target }) => this.markActive(target as Element));
        this.node.addEventListener('click', event => this.openLine(event));
        this.node.addEventListener('keydown', event => this.openLine(event), true);
        this.refresh();
    }

    /** Over the end of a file to the next. */
    goToChange(target: 'next' | 'previous'): void {
        if (target === 'next') {
            this.multi.goToNextChange();
        } else {
            this.multi.goToPreviousChange();
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
        const editors = this.isDisposed ? [] : this.files.all.flatMap(file => this.editorOf(file) ?? []);
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
        const active = this.viewModel.activeDiffItem.get()?.documentDiffItem;
        const withEditor = this.files.all.filter(file => file.hasTexts && this.editorOf(file));
        const file = withEditor.find(({ item }) => item === active) ?? withEditor[0];
        if (file) {
            this.editorOf(file)?.focus();
        }
    }

    protected refresh(): void {
        void this.files.update();
        const { list, toReview, trouble } = this.changes;
        this.empty.textContent = toReview.length > 0 ? '' : emptyText(list.tracking, trouble);
    }

    protected async make(change: FileChange): Promise<MultiDiffFile> {
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
                return this.fileOf({ original, modified, options: this.optionsFor(change) }, toDispose, { startsClosed });
            }
        } catch {
            // It is gone, or no text any more: its row will say so. Or nothing came in time.
            toDispose.dispose();
        }
        const uri = MonacoUri.parse(file.withScheme(NO_TEXT_SCHEME).withQuery(`${change.version}`).toString());
        const line = StandaloneServices.get(IModelService).createModel(describeKind(change), null, uri);
        const item = { original: line, modified: line, options: this.optionsFor(change) };
        return this.fileOf(item, new DisposableCollection(line), { hasTexts: false, startsClosed: true });
    }

    protected fileOf(
        item: IDocumentDiffItem,
        toDispose: DisposableCollection,
        { hasTexts = true, startsClosed }: { hasTexts?: boolean; startsClosed: boolean }
    ): MultiDiffFile {
        const counted = RefCounted.createOfNonDisposable(item, toDispose);
        const { uri } = item.modified ?? item.original ?? {};
        const dispose = (): void => counted.dispose();
        const file: MultiDiffFile = { uri, item, hasTexts, startsClosed, changedAt: -Infinity, document: counted, dispose };
        for (const side of [item.original, item.modified]) {
            toDispose.push(side?.onDidChangeContent(() => (file.changedAt = performance.now())) ?? Disposable.NULL);
        }
        return file;
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
    protected showFiles(files: readonly MultiDiffFile[]): void {
        const items = this.viewModel.items.get();
        const at = Math.max(items.indexOf(this.viewModel.activeDiffItem.get() ?? items[0]), 0);
        const shown = new Set(files.map(({ item }) => item));
        const stays = ({ documentDiffItem }: DocumentDiffItemViewModel): boolean => shown.has(documentDiffItem);
        this.setActive([...items.slice(at), ...items.slice(0, at).reverse()].find(stays));
        const change = (): void => {
            // This notes the heights, too.
            const { top, left } = this.multi.getViewState().scrollState;
            const place = placeAt(new Map(items.map(item => [item, heightOf(item)])), top, stays);
            this.documents.value = files.map(file => file.document);
            this.onDidChangeDocuments.fire();
            this.movedAt = performance.now();
            const closed = files.flatMap(({ item, startsClosed }) => (startsClosed ? item : []));
            const now = this.viewModel.items.get();
            const added = now.filter(item => !items.includes(item));
            added.filter(item => closed.includes(item.documentDiffItem)).forEach(({ collapsed }) => collapsed.set(true, undefined));
            if (place) {
                const above = now.slice(0, now.indexOf(place.file)).reduce((sum, item) => sum + heightOf(item), 0);
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

    /** @returns `undefined` if it is not scrolled to */
    protected editorOf(file: MultiDiffFile): DiffEditorWidget | undefined {
        const editor = file.uri && this.multi.tryGetCodeEditor(file.uri)?.diffEditor;
        return editor instanceof DiffEditorWidget ? editor : undefined;
    }

    protected fileAt(element: Element): MultiDiffFile | undefined {
        return this.files.all.find(file => this.editorOf(file)?.getContainerDomNode().contains(element));
    }

    /** Monaco (1.108) calls no file active that was clicked. */
    protected markActive(element: Element): void {
        const item = this.fileAt(element)?.item;
        this.setActive(this.viewModel.items.get().find(({ documentDiffItem }) => documentDiffItem === item));
    }

    /** Enter, or a click that selects nothing. */
    protected openLine(event: MouseEvent | KeyboardEvent): void {
        const target = event.target as Element;
        const isMeant = 'key' in event ? event.key === 'Enter' : target.closest('.view-lines') !== null;
        const file = isMeant ? this.fileAt(target) : undefined;
        const editor = file && this.editorOf(file);
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

    protected open(file: MultiDiffFile, line?: number): void {
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

    protected fillHeader(element: HTMLElement, file: MultiDiffFile, change: FileChange): void {
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
    protected async answer(file: MultiDiffFile, { id }: Command): Promise<void> {
        const change = this.files.changeOf(file);
        if (!change || !isAimedAt(Math.max(this.movedAt, file.changedAt))) {
            return;
        }
        const textOf = (side?: ITextModel): string => side?.getValue(EndOfLinePreference.LF) ?? '';
        const shown = { base: textOf(file.item.original), text: textOf(file.item.modified) };
        const seen = await this.outcomes.doneOf(async () =>
            !file.hasTexts || (await this.changeUndo.isAsShown(change, shown))
                ? { done: [change.uri], left: [] }
                : { done: [], left: [{ uri: change.uri, reason: 'changed' }] }
        );
        if (seen.length > 0 && this.commands.isEnabled(id, change)) {
            await this.commands.executeCommand(id, change);
        }
    }

    protected pathOf({ uri }: FileChange): string {
        return visibleText(this.paths.display(new URI(uri).path.fsPath()));
    }
}

/** As it was last drawn, in pixels. */
function heightOf({ lastTemplateData }: DocumentDiffItemViewModel): number {
    return lastTemplateData.get().contentHeight;
}
