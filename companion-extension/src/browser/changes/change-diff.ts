// SPDX-License-Identifier: Apache-2.0

import {
    ApplicationShell,
    FrontendApplicationContribution,
    NavigatableWidget,
    open,
    OpenerService,
    Saveable,
    Widget
} from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { Event } from '@theia/core/lib/common/event';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { Codicon } from '@theia/monaco-editor-core/esm/vs/base/common/codicons';
import { LineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { MenuId, MenuRegistry } from '@theia/monaco-editor-core/esm/vs/platform/actions/common/actions';
import { ContextKeyExpr } from '@theia/monaco-editor-core/esm/vs/platform/contextkey/common/contextkey';
import { FileChange } from '../../common/changes/changes-protocol';
import { visibleText } from '../../common/visible-text';
import { OriginalContents } from '../diff/original-contents';
import { BarContent } from '../diff/diff-bar';
import { DiffEditor } from '../diff/diff-editor';
import { DiffEditors } from '../diff/diff-editors';
import { TextChanges } from '../diff/text-changes';
import { withTimeLimit } from '../../common/time-limit';
import { AnswerGuard } from '../window/answer-guard';
import { KeyboardHold } from '../window/keyboard-hold';
import { ReadOnlyResource } from '../window/read-only-resource';
import { WorkspacePaths } from '../window/workspace-paths';
import { authorsOf } from './change-groups';
import { ShownChange } from './change-undo';
import { BASELINE_SCHEME, ChangeUris } from './change-uris';
import { noUndoText, titleOf, wholeText } from './change-words';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { PageChanges } from './page-changes';

/** How long the user waits for a diff to show what it is opened for. */
const PAINT_LIMIT_MS = 1_000;
/** How long an answer may take to show in the diff. Then nothing moves on. */
const SETTLE_LIMIT_MS = 5_000;

/** Which lines of both sides one change has. */
type SideLines = Pick<LineRangeMapping, 'original' | 'modified'>;

/** What Monaco's toolbar at a change hands to a command. */
interface HunkContext {
    readonly mapping: SideLines;
    readonly originalUri: unknown;
}

/** What shows a change, with what the user sees in it: a diff, the file's own editor, or all files below each other. */
export interface ChangeDiff {
    readonly widget: Widget;
    readonly editor: TextChanges;
    readonly change: FileChange;
    /** Goes to another file in the same widget; absent if that shows no other one. */
    goToFile?(target: 'next' | 'previous'): void;
}

/** Without a row it has nothing to decide. */
export type ShownDiff = Omit<ChangeDiff, 'change'> & { readonly change: FileChange | undefined };

/** The diffs of changes: left the text that the user last knew, right the file itself, in Theia's own editor. */
@injectable()
export class ChangeDiffs implements FrontendApplicationContribution, ResourceResolver {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(OpenerService)
    protected readonly opener: OpenerService;
    @inject(OriginalContents)
    protected readonly contents: OriginalContents;
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(DiffEditors)
    protected readonly diffs: DiffEditors;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(KeyboardHold)
    protected readonly hold: Pick<KeyboardHold, 'stay'>;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    protected readonly shown = new Map<EditorWidget, DiffEditor>();
    /** What else shows changes, with what finds them. */
    protected readonly attached = new Map<Widget, () => ShownDiff | undefined>();
    /** In which order editors had the keyboard. */
    protected readonly focused = new WeakMap<object, number>();
    protected focusCount = 0;
    /** Those whose file was listed. The list is not complete from the beginning. */
    protected readonly listed = new WeakSet<EditorWidget>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.editors.onCreated(widget => this.track(widget)),
            this.shell.onDidChangeActiveWidget(() => this.markFocused(this.shell.activeWidget)),
            this.changes.onDidChange(() => {
                this.closeOutdated();
                this.shown.forEach(editor => this.describe(editor));
            })
        ]);
        this.editors.all.forEach(widget => this.track(widget));
        const toHunks: ReadonlyArray<[Command, typeof Codicon.check]> = [
            [CHANGE_COMMANDS.UNDO_CHANGE, Codicon.discard],
            [CHANGE_COMMANDS.KEEP_CHANGE, Codicon.check]
        ];
        toHunks.forEach(([{ id, label = '' }, icon], order) =>
            this.toDispose.push(
                MenuRegistry.appendMenuItem(MenuId.DiffEditorHunkToolbar, {
                    command: { id, title: label, icon },
                    order,
                    group: 'primary',
                    when: ContextKeyExpr.regex('diffEditorOriginalUri', new RegExp(`^${BASELINE_SCHEME}:`))
                })
            )
        );
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** The left side: the text that the user last knew. Without a row it is the file, so that nothing differs. */
    resolve(uri: URI): Resource {
        if (uri.scheme !== BASELINE_SCHEME) {
            throw new Error(`Not a baseline: '${uri.toString()}'`);
        }
        const file = ChangeUris.fileOf(uri);
        const versionNow = (): number | undefined => this.changes.find(file.toString())?.version;
        /** Of the row whose text was read. */
        let version: number | undefined;
        const read = async (): Promise<string> => {
            if (ChangeUris.isNoFile(uri)) {
                return '';
            }
            version = versionNow();
            const baseline = await this.changes.readBaseline(file.toString());
            return baseline?.shown ?? (await this.contents.read(file)).text;
        };
        return new ReadOnlyResource(
            uri,
            read,
            Event.filter(this.changes.onDidChange, () => versionNow() !== version)
        );
    }

    /**
     * Opens the diff at a change, or the file itself if there is nothing to compare it with.
     * @param isStill the keyboard stays where it is @param from the change; if it is left out, the first one unless the cursor is at one
     * @param line of the right side, instead of a change
     */
    async show(
        change: FileChange,
        { isStill = false, from, line }: { isStill?: boolean; from?: 'first' | 'last'; line?: number } = {}
    ): Promise<void> {
        const file = new URI(change.uri);
        if (!isCompared(change)) {
            await this.showFile(change);
            return;
        }
        const title = titleOf(change, visibleText(file.path.base));
        // One tab for a file, whatever its title says by now.
        const uri = this.widgetOf(file)?.editor.uri ?? ChangeUris.diff(file, title, change.kind === 'deleted');
        const widget = await this.editors.open(uri, { mode: isStill ? 'reveal' : 'activate' });
        this.markFocused(widget);
        const editor = this.shown.get(widget);
        await withTimeLimit(Promise.resolve(editor?.waitUntilPainted()), PAINT_LIMIT_MS).catch(() => undefined);
        if (line !== undefined) {
            widget.editor.cursor = { line: line - 1, character: 0 };
            widget.editor.revealPosition(widget.editor.cursor, { vertical: 'centerIfOutsideViewport' });
        } else if (from === 'last') {
            editor?.goToLastChange();
        } else if (from ?? !editor?.changeAtCursor) {
            editor?.goToChangeFrom(1);
        }
    }

    /**
     * Resolves once neither the diff nor the list has any more what was answered.
     * @param mapping of one change; of the whole file if it is left out. @returns whether the diff has it no more
     */
    async settle({ editor, widget, change }: ChangeDiff, mapping?: SideLines): Promise<boolean> {
        const isGone = (): boolean =>
            widget.isDisposed ||
            !this.changes.find(change.uri) ||
            (mapping !== undefined && !editor.shows(mapping.original, mapping.modified));
        const isListed = (): boolean => this.changes.find(change.uri)?.version === change.version && !Saveable.isDirty(widget);
        const toDispose = new DisposableCollection();
        const settled = new Promise<void>(resolve => {
            const look = (): void => void (isGone() && !isListed() && resolve());
            toDispose.pushAll([editor.onDidCompare(look), this.changes.onDidChange(look)]);
            look();
        });
        await withTimeLimit(settled, SETTLE_LIMIT_MS).catch(() => undefined);
        toDispose.dispose();
        return isGone();
    }

    /** Over the end of a file to the next. */
    async goToChange(target: 'next' | 'previous'): Promise<void> {
        const diff = this.find();
        this.guard.restart();
        if (!diff?.editor.goToChange(target, false)) {
            await this.goToFile(target, diff !== undefined && this.shell.activeWidget !== diff.widget);
        }
    }

    /** In the widget in front, if that shows several. @param isStill the keyboard stays where it is */
    async goToFile(target: 'next' | 'previous', isStill = false): Promise<void> {
        const diff = this.find();
        if (diff?.goToFile) {
            diff.goToFile(target);
            this.guard.restart();
        } else {
            await this.showNextFile(this.changeInFront, target, isStill);
        }
    }

    /** That of the diff in front, or of a file of which only the name or the bytes can be shown. */
    get changeInFront(): FileChange | undefined {
        const { ofFileInFront } = this;
        return this.find()?.change ?? (ofFileInFront && !isCompared(ofFileInFront) ? ofFileInFront : undefined);
    }

    /** That of the file in front, whatever shows it. */
    get ofFileInFront(): FileChange | undefined {
        const widget = this.shell.getCurrentWidget('main');
        return NavigatableWidget.is(widget) ? this.changes.find(widget.getResourceUri()?.toString() ?? '') : undefined;
    }

    /** The other files that wait for the user to look, from the one behind the file of the change on. */
    filesAfter(change?: FileChange): FileChange[] {
        const files = this.changes.toReview;
        const at = files.findIndex(({ uri }) => uri === change?.uri);
        return [...files.slice(at + 1), ...files.slice(0, Math.max(at, 0))];
    }

    /** @param change the one in view. @param isStill the keyboard stays where it is. @returns false if there is no other file */
    async showNextFile(change?: FileChange, target: 'next' | 'previous' = 'next', isStill = false): Promise<boolean> {
        const next = this.filesAfter(change).at(target === 'next' ? 0 : -1);
        if (next) {
            await this.show(next, { isStill, from: target === 'next' ? 'first' : 'last' });
        } else {
            const editor = this.find()?.editor;
            void (target === 'next' ? editor?.goToChangeFrom(1) : editor?.goToLastChange());
        }
        this.guard.restart();
        return next !== undefined;
    }

    /** Closes the diffs of files that are done; from the one in which the user did that to the next file. */
    async leave(done: readonly FileChange[], following: readonly FileChange[], diff?: ChangeDiff): Promise<void> {
        if (diff && done.length > 0) {
            await this.goOn(diff, following);
        } else {
            await this.hold.stay(async () => done.forEach(change => this.close(change)));
        }
    }

    /**
     * After an answer: to the next change, then to the next file's first one. The diff that has none left closes. The keyboard goes along if it
     * is in the diff; else it stays where it is.
     * @param following the other files, in their order before the answer @param mapping absent after an answer to the whole file
     */
    async goOn(diff: ChangeDiff, following: readonly FileChange[], mapping?: SideLines): Promise<void> {
        const { widget } = diff;
        const hadKeyboard = this.shell.activeWidget === widget;
        const isSettled = await this.settle(diff, mapping);
        // The user may have gone on elsewhere.
        const { activeWidget = widget } = this.shell;
        const hasKeyboard = hadKeyboard && (activeWidget === widget || widget.isDisposed);
        const go = (): Promise<void> => this.goFrom(diff, following, { isSettled, hasKeyboard, mapping });
        await (hasKeyboard ? go() : this.hold.stay(go));
        this.guard.restart();
    }

    protected async goFrom(
        diff: ChangeDiff,
        following: readonly FileChange[],
        { isSettled, hasKeyboard, mapping }: { isSettled: boolean; hasKeyboard: boolean; mapping?: SideLines }
    ): Promise<void> {
        const { editor, widget, change } = diff;
        const isLeft = this.changes.find(change.uri) !== undefined;
        if (!isSettled || (isLeft && mapping && editor.goToChangeFrom(mapping.modified.startLineNumber))) {
            return;
        }
        if (diff.goToFile) {
            diff.goToFile('next');
            return;
        }
        // Before an undo that had to wait, the user may have gone to look at something else.
        const next = widget.isVisible ? following.find(({ uri }) => this.changes.find(uri)) : undefined;
        if (next) {
            await this.show(this.changes.find(next.uri) ?? next, { isStill: !hasKeyboard, from: 'first' });
        }
        if (!isLeft) {
            if (!next && hasKeyboard && change.kind === 'modified') {
                await this.showFile(change);
            }
            this.close(change);
        } else if (!next) {
            editor.goToChangeFrom(1);
        }
    }

    async showFile({ uri }: Pick<FileChange, 'uri'>): Promise<void> {
        await open(this.opener, new URI(uri));
    }

    /** Nothing is left to see. What the user has typed there stays. */
    close({ uri }: Pick<FileChange, 'uri'>): void {
        const widget = this.widgetOf(new URI(uri));
        if (widget && !Saveable.isDirty(widget)) {
            widget.close();
        }
    }

    /** Its keys are for changes. A file's own editor is for other things, too. */
    isShown(widget: unknown): boolean {
        return this.shown.has(widget as EditorWidget) || (!(widget instanceof EditorWidget) && this.attached.has(widget as Widget));
    }

    /** What a toolbar names; else what has the keyboard, or of what is visible that which had it last. */
    find(widget?: unknown): ChangeDiff | undefined {
        const orderOf = (one: Widget): number => this.focused.get(one) ?? 0;
        const visible = [...this.shown.keys(), ...this.attached.keys()].filter(({ isVisible }) => isVisible).reverse();
        const all = [widget, this.shell.activeWidget, ...visible.sort((one, other) => orderOf(other) - orderOf(one))];
        const found = all.map(one => this.diffIn(one)).find(diff => diff !== undefined);
        return found?.change && { ...found, change: found.change };
    }

    /** The widget shows changes, too. @param find them; `undefined` if there are none */
    attach(widget: Widget, find: () => ShownDiff | undefined): Disposable {
        this.attached.set(widget, find);
        return Disposable.create(() => this.attached.delete(widget));
    }

    /** @returns `undefined` if it shows no changes */
    protected diffIn(widget: unknown): ShownDiff | undefined {
        const diff = widget as EditorWidget;
        const editor = this.shown.get(diff);
        return editor ? { widget: diff, editor, change: this.changeIn(diff) } : this.attached.get(diff)?.();
    }

    /** The diff whose left side that is. */
    findBy(originalUri: unknown): ChangeDiff | undefined {
        const widget = this.widgetOf(ChangeUris.fileOf(new URI(String(originalUri))));
        return widget && this.find(widget);
    }

    /** @param mapping the lines of one change */
    shownIn({ editor: { texts } }: ChangeDiff, mapping?: SideLines): ShownChange | undefined {
        return texts && mapping ? { ...texts, lines: linesOf(mapping) } : texts;
    }

    protected widgetOf(file: URI): EditorWidget | undefined {
        return [...this.shown.keys()].find(({ editor }) => ChangeUris.changedFile(editor.uri)?.isEqual(file));
    }

    /** A diff without a file on the right is of a deleted file, and no other is. One that nobody looks at closes when its file is not listed any more. */
    protected closeOutdated(): void {
        for (const widget of [...this.shown.keys()]) {
            const change = this.changeIn(widget);
            if ((change?.kind === 'deleted') !== ChangeUris.hasNoFile(widget.editor.uri)) {
                const close = async (): Promise<void> => widget.close();
                void (this.shell.activeWidget === widget ? close() : this.hold.stay(close));
            } else if (change) {
                this.listed.add(widget);
            } else if (this.listed.has(widget) && !widget.isVisible && !Saveable.isDirty(widget)) {
                widget.close();
            }
        }
    }

    /** Single changes are offered where there are any. */
    protected describe(editor: DiffEditor): void {
        const change = this.changeIn(editor.widget);
        const { isWhole = false } = change ?? {};
        const notices = isWhole ? [{ text: wholeText() }] : [];
        editor.setRevertible(!isWhole);
        if (change) {
            const bar = this.barOf(change);
            const left = nls.localize('theia/cli-companion/changes/leftLabel', 'Before: {0}', bar.path);
            editor.describe(left, nls.localize('theia/cli-companion/changes/rightLabel', 'Changed, editable: {0}', bar.path), notices, bar);
        }
    }

    barOf(change: FileChange): BarContent {
        const { uri, kind, isWhole, canUndo } = change;
        const path = this.paths.display(new URI(uri).path.fsPath());
        const cliName = authorsOf(change);
        const files = this.changes.toReview;
        const number = files.findIndex(file => file.uri === uri) + 1;
        return {
            label: cliName
                ? nls.localize('theia/cli-companion/changes/barLabelBy', 'Changes of {0} to {1}', cliName, path)
                : nls.localize('theia/cli-companion/changes/barLabel', 'Changes to {0}', path),
            path,
            isNewFile: kind === 'added',
            cliName,
            ...(number > 0 &&
                files.length > 1 && { place: nls.localize('theia/cli-companion/changes/place', 'file {0} of {1}', number, files.length) }),
            answers: [
                {
                    command: CHANGE_COMMANDS.KEEP_CHANGE.id,
                    word: nls.localize('theia/cli-companion/changes/keep', 'Keep'),
                    isMain: true,
                    explanation: nls.localize('theia/cli-companion/changes/keepTip', 'Keep the change: it is not listed any more.')
                },
                {
                    command: CHANGE_COMMANDS.UNDO_CHANGE.id,
                    word: nls.localize('theia/cli-companion/changes/undo', 'Undo'),
                    explanation: nls.localize(
                        'theia/cli-companion/changes/undoTip',
                        'Undo the change: the file gets back what was there before.'
                    ),
                    ...(isWhole && !canUndo && { refusal: noUndoText() })
                }
            ]
        };
    }

    protected markFocused(widget: Widget | undefined): void {
        if (widget) {
            this.focused.set(widget, ++this.focusCount);
        }
    }

    protected changeIn({ editor: { uri } }: EditorWidget): FileChange | undefined {
        return this.changes.find(`${ChangeUris.changedFile(uri) ?? uri}`);
    }

    protected track(widget: EditorWidget): void {
        if (ChangeUris.changedFile(widget.editor.uri)) {
            const editor = this.diffs.create(widget);
            widget.node.classList.add('companion-change');
            this.describe(editor);
            this.shown.set(widget, editor);
            widget.disposed.connect(() => {
                editor.dispose();
                this.shown.delete(widget);
            });
        }
    }
}

export function isHunk(value: unknown): value is HunkContext {
    return typeof value === 'object' && value !== null && 'mapping' in value && 'originalUri' in value;
}

/** Both sides are texts. */
export function isCompared({ kind }: FileChange): boolean {
    return kind === 'modified' || kind === 'added' || kind === 'deleted';
}

function linesOf({ original, modified }: SideLines): ShownChange['lines'] {
    return {
        baseStart: original.startLineNumber - 1,
        baseEnd: original.endLineNumberExclusive - 1,
        diskStart: modified.startLineNumber - 1,
        diskEnd: modified.endLineNumberExclusive - 1
    };
}
