// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import * as monaco from '@theia/monaco-editor-core';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { IReference } from '@theia/monaco-editor-core/esm/vs/base/common/lifecycle';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { DetailedLineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { MessageController } from '@theia/monaco-editor-core/esm/vs/editor/contrib/message/browser/messageController';
import { BarContent, DiffBar } from '../diff/diff-bar';
import { DiffHost } from '../diff/diff-contribution';
import { textOf } from '../diff/file-editors';
import { ComparedModels, TextChanges } from '../diff/text-changes';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { ChangeZone } from './change-zone';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { changedByText, notShownText, wholeText } from './change-words';
import { RemovedLines } from './removed-lines';

/** As many characters as the backend compares line by line. */
const MAX_LENGTH = 1024 * 1024;
const MAX_CHANGES = 500;
/** A user who types has paused for so long. */
const TYPING_PAUSE_MS = 400;
/** Who has written the file may write more at once. */
const WRITING_PAUSE_MS = 50;
/** As Monaco's own diff editor. */
const COMPARE_LIMIT_MS = 5_000;
const BAR_CLASS = 'companion-change';

export interface EditorChangesHost extends Pick<DiffHost, 'keysOf' | 'run'> {
    /** Of the file's row. */
    readonly bar: BarContent;
    /** It is kept and undone as a whole. */
    readonly isWhole: boolean;
    openDiff(): void;
    /** The text that the user last knew. */
    openBase(): Promise<IReference<MonacoEditorModel>>;
    /** Finds the changes of two texts, in a worker. */
    compare(
        original: monaco.editor.ITextModel,
        modified: monaco.editor.ITextModel,
        limitMs: number
    ): Promise<readonly DetailedLineRangeMapping[]>;
}

/** What agents changed in a file, in one of its own editors: a bar beside each change, and on demand the lines that it removed. */
export class EditorChanges extends TextChanges {
    protected readonly onDidCompareEmitter = new Emitter<void>();
    protected readonly toDispose = new DisposableCollection(this.onDidCompareEmitter);
    protected readonly bars: monaco.editor.IEditorDecorationsCollection;
    protected base: MonacoEditorModel | undefined;
    protected opening: Promise<void> | undefined;
    /** As they were compared last. The bars know where they are by now. */
    protected compared: readonly DetailedLineRangeMapping[] = [];
    protected isOutdated = true;
    /** The text has edits of the user that the base does not have yet: they are no changes of agents. */
    protected hasEdits: boolean;
    /** Where the bars were when the editor was hidden. */
    protected hiddenBars: readonly monaco.Range[] = [];
    protected removed: RemovedLines | undefined;
    /** That there is too much to show. */
    protected notice: ChangeZone | undefined;
    protected timer: ReturnType<typeof setTimeout> | undefined;

    constructor(
        override readonly widget: EditorWidget,
        protected readonly editor: MonacoEditor,
        protected readonly host: EditorChangesHost
    ) {
        super(widget);
        const { control } = this;
        this.hasEdits = editor.document.dirty;
        this.bars = control.createDecorationsCollection();
        this.toDispose.pushAll([
            control.onWillChangeModel(() => this.hide()),
            control.onDidChangeModel(() => {
                this.shownSince = performance.now();
                this.compareLater(0);
            }),
            editor.document.textEditorModel.onDidChangeContent(() => {
                this.hasEdits = editor.document.dirty;
                this.compareLater(this.hasEdits ? TYPING_PAUSE_MS : WRITING_PAUSE_MS);
            }),
            control.onMouseDown(({ target }) => {
                if (target.element?.classList.contains(BAR_CLASS) && target.position) {
                    this.toggleRemoved(target.position.lineNumber);
                }
            }),
            control.onDidChangeCursorPosition(() => this.removed?.bar.setChanges(this.changesText)),
            Disposable.create(() => {
                clearTimeout(this.timer);
                this.closeZones();
                this.bars.clear();
            })
        ]);
        this.compareLater(0);
    }

    get hasChanges(): boolean {
        return this.compared.length > 0;
    }

    get texts(): { base: string; text: string } | undefined {
        return this.base && { base: textOf(this.base), text: textOf(this.editor.document) };
    }

    override onDidCompare(listener: () => void): Disposable {
        return this.onDidCompareEmitter.event(listener);
    }

    override say(text: string): void {
        const { control } = this;
        control
            .getContribution<MessageController>(MessageController.ID)
            ?.showMessage(text, control.getPosition() ?? { lineNumber: 1, column: 1 });
    }

    /** The row is another one, or says something else. */
    update(): void {
        this.removed?.bar.set(this.barContent);
        if (!this.base) {
            this.compareLater(0);
        }
    }

    /** With its lines before, as in a diff. */
    override goToChange(target: 'next' | 'previous', wraps?: boolean): boolean {
        const hasGone = super.goToChange(target, wraps);
        const change = hasGone && this.changeAtCursor;
        if (change && this.removed?.line !== lineBefore(change)) {
            this.openRemoved(change);
        }
        return hasGone;
    }

    /** Until the texts are compared again, nobody knows. */
    override shows(original: LineRange, modified: LineRange): boolean {
        return this.isOutdated || super.shows(original, modified);
    }

    /**
     * Shows the lines that a change has removed, with its buttons, or closes them.
     * @param line of a bar; that of the cursor if it is left out, and the keyboard then goes there
     */
    toggleRemoved(line?: number): void {
        const at = line ?? this.control.getPosition()?.lineNumber ?? 1;
        const ranges = this.bars.getRanges();
        const index = ranges.findIndex(({ startLineNumber, endLineNumber }) => startLineNumber <= at && at <= endLineNumber);
        const change = line === undefined ? (this.changeAtCursor ?? this.changeInView) : this.mappings[index];
        if (!change) {
            this.revealChange();
            return;
        }
        const isOpen = this.removed?.line === lineBefore(change);
        if (isOpen && line !== undefined) {
            this.closeZones();
            return;
        }
        this.goToLine(change.modified.startLineNumber);
        if (!isOpen) {
            this.openRemoved(change);
        }
        if (line === undefined) {
            this.removed?.focus();
        }
    }

    override dispose(): void {
        this.toDispose.dispose();
    }

    protected get control(): monaco.editor.IStandaloneCodeEditor {
        return this.editor.getControl();
    }

    protected get textEditor(): monaco.editor.ICodeEditor {
        return this.control;
    }

    protected get models(): ComparedModels | undefined {
        return this.base && { original: this.base.textEditorModel, modified: this.editor.document.textEditorModel };
    }

    protected get mappings(): readonly DetailedLineRangeMapping[] {
        return this.isOutdated ? this.compared.flatMap((change, index) => moved(change, this.bars.getRange(index))) : this.compared;
    }

    protected override goToLine(lineNumber: number): boolean {
        const hasGone = super.goToLine(lineNumber);
        // The bars are not read out.
        status(this.changesText);
        const change = this.removed && this.changeAtCursor;
        if (change && this.removed?.line !== lineBefore(change)) {
            this.openRemoved(change);
        }
        return hasGone;
    }

    protected compareLater(pauseMs: number): void {
        this.isOutdated = true;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.compare(), pauseMs);
    }

    protected async compare(): Promise<void> {
        const text = this.editor.document.textEditorModel;
        const isShown = (): boolean => !this.toDispose.disposed && !text.isDisposed() && this.control.getModel() === text;
        if (!isShown()) {
            return;
        }
        if (text.getValueLength() > MAX_LENGTH) {
            this.showNone();
            return;
        }
        this.opening ??= this.openBase();
        await this.opening;
        const base = this.base?.textEditorModel;
        if (!base || !isShown()) {
            return;
        }
        if (base.getValueLength() > MAX_LENGTH) {
            this.showNone();
            return;
        }
        const versions = (): string => [text.getVersionId(), base.getVersionId()].join();
        const before = versions();
        const added = new DetailedLineRangeMapping(new LineRange(1, 1), new LineRange(1, text.getLineCount() + 1), undefined);
        const changes = base.getValueLength() === 0 ? [added] : await this.host.compare(base, text, COMPARE_LIMIT_MS).catch(() => []);
        // Whatever has changed meanwhile is compared by itself.
        if (isShown() && versions() === before) {
            if (changes.length > MAX_CHANGES) {
                this.showNone();
            } else {
                this.show(this.hasEdits ? changes.filter(change => this.isKnown(change)) : changes);
            }
        }
    }

    protected async openBase(): Promise<void> {
        try {
            const reference = await this.host.openBase();
            if (this.toDispose.disposed) {
                reference.dispose();
                return;
            }
            this.base = reference.object;
            const listening = this.base.textEditorModel.onDidChangeContent(() => {
                this.hasEdits = this.editor.document.dirty;
                this.compareLater(WRITING_PAUSE_MS);
            });
            this.toDispose.pushAll([reference, listening]);
        } catch {
            // The next row asks again.
            this.opening = undefined;
        }
    }

    /** It has a bar. */
    protected isKnown(change: DetailedLineRangeMapping): boolean {
        const ranges = this.bars.getRanges();
        const { startLineNumber, endLineNumber } = rangeOf(change);
        return (ranges.length > 0 ? ranges : this.hiddenBars).some(
            bar => bar.startLineNumber <= endLineNumber && startLineNumber <= bar.endLineNumber
        );
    }

    protected hide(): void {
        this.hiddenBars = this.bars.getRanges();
        this.closeZones();
    }

    protected show(changes: readonly DetailedLineRangeMapping[]): void {
        const isOther =
            changes.length !== this.compared.length || changes.some(({ original, modified }) => !super.shows(original, modified));
        this.isOutdated = false;
        this.compared = changes;
        const tip = changedByText(this.host.bar.cliName, this.host.keysOf(CHANGE_COMMANDS.SHOW_REMOVED.id)[0]);
        this.bars.set(changes.map(change => barOf(change, tip)));
        this.hiddenBars = [];
        this.shownSince = isOther ? performance.now() : this.shownSince;
        const line = this.removed?.line;
        const next = line === undefined ? undefined : changes.find(({ modified }) => modified.endLineNumberExclusive > line);
        if (!next) {
            this.closeZones();
        } else if (isOther || line !== lineBefore(next)) {
            this.openRemoved(next);
        }
        this.onDidCompareEmitter.fire();
    }

    /** Says so instead. */
    protected showNone(): void {
        if (this.notice) {
            return;
        }
        this.show([]);
        const foot = document.createElement('div');
        foot.className = 'companion-change-none';
        const text = document.createElement('span');
        text.textContent = text.title = notShownText();
        const open = document.createElement('button');
        open.className = 'theia-button secondary';
        open.textContent = nls.localizeByDefault('Open Changes');
        open.addEventListener('click', () => this.host.openDiff());
        foot.append(text, open);
        this.notice = new ChangeZone(this.control, foot);
        this.notice.place(0);
        status(notShownText());
    }

    protected openRemoved(change: DetailedLineRangeMapping): void {
        const hadFocus = this.removed?.hasFocus;
        this.closeZones();
        const bar = new DiffBar(document, {
            toggleWrap: () => undefined,
            keysOf: id => this.host.keysOf(id),
            run: id => this.run(id)
        });
        bar.set(this.barContent);
        bar.setChanges(this.changesText);
        const { startLineNumber, endLineNumberExclusive } = change.original;
        const lines = this.models?.original.getLinesContent().slice(startLineNumber - 1, endLineNumberExclusive - 1) ?? [];
        this.removed = new RemovedLines(this.control, bar, () => this.closeZones());
        this.removed.open(lineBefore(change), lines);
        this.shownSince = performance.now();
        if (hadFocus) {
            this.removed.focus();
        }
    }

    protected closeZones(): void {
        this.removed?.dispose();
        this.notice?.dispose();
        this.removed = this.notice = undefined;
    }

    /** A button does it to the change that it stands at. */
    protected run(command: string): void {
        const { lineCount, textEditorModel } = this.editor.document;
        const first = Math.min((this.removed?.line ?? 0) + 1, lineCount);
        this.goToLine(first);
        if (command === SHARED_COMMANDS.ADD_COMMENT.id) {
            // It is about the lines that are selected in the editor with the keyboard.
            const last = Math.min(Math.max(first, (this.changeAtCursor?.modified.endLineNumberExclusive ?? 0) - 1), lineCount);
            this.control.setSelection(new monaco.Selection(first, 1, last, textEditorModel.getLineMaxColumn(last)));
            this.control.focus();
        }
        this.host.run(command, this.widget);
    }

    protected get barContent(): BarContent {
        const { bar } = this.host;
        const comment = {
            command: SHARED_COMMANDS.ADD_COMMENT.id,
            word: nls.localize('theia/cli-companion/changes/comment', 'Comment'),
            explanation: nls.localize('theia/cli-companion/changes/commentTip', 'Write a comment on these lines, for the prompt of a CLI.')
        };
        return { ...bar, ...(this.host.isWhole && { place: wholeText() }), answers: [...bar.answers, comment] };
    }
}

/** The removed lines stood behind it. */
function lineBefore({ modified }: DetailedLineRangeMapping): number {
    return modified.startLineNumber - 1;
}

/** Of its bar. Lines that are gone have it beside the line before. */
function rangeOf({ modified }: DetailedLineRangeMapping): monaco.Range {
    const first = Math.max(1, modified.isEmpty ? modified.startLineNumber - 1 : modified.startLineNumber);
    return new monaco.Range(first, 1, Math.max(first, modified.endLineNumberExclusive - 1), 1);
}

function barOf(change: DetailedLineRangeMapping, linesDecorationsTooltip: string): monaco.editor.IModelDeltaDecoration {
    const kind = change.modified.isEmpty ? 'removed' : change.original.isEmpty ? 'added' : 'modified';
    const color = { id: { removed: 'charts.red', added: 'charts.green', modified: 'charts.purple' }[kind] };
    return {
        range: rangeOf(change),
        options: {
            isWholeLine: true,
            linesDecorationsClassName: `${BAR_CLASS} ${BAR_CLASS}-${kind}`,
            linesDecorationsTooltip,
            stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
            // Left are the bars of Theia's own comparison with git.
            overviewRuler: { color, position: monaco.editor.OverviewRulerLane.Center }
        }
    };
}

/** @param bar where it is by now; `null` if its editor is hidden */
function moved({ original, modified }: DetailedLineRangeMapping, bar: monaco.Range | null): DetailedLineRangeMapping[] {
    if (!bar) {
        return [];
    }
    const start = modified.isEmpty ? bar.startLineNumber + Math.min(1, modified.startLineNumber - 1) : bar.startLineNumber;
    return [new DetailedLineRangeMapping(original, new LineRange(start, modified.isEmpty ? start : bar.endLineNumber + 1), undefined)];
}
