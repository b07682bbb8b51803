// SPDX-License-Identifier: Apache-2.0

import {
    animationFrame,
    ApplicationShell,
    ConfirmDialog,
    FrontendApplicationContribution,
    NavigatableWidget,
    OpenerService,
    Saveable,
    StatusBar,
    StatusBarAlignment,
    Widget
} from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry, CommandService } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { ILogger } from '@theia/core/lib/common/logger';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { EditorOpenerOptions } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { MonacoWorkspace } from '@theia/monaco/lib/browser/monaco-workspace';
import * as monaco from '@theia/monaco-editor-core';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { WorkspaceDeleteHandler } from '@theia/workspace/lib/browser/workspace-delete-handler';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo } from '../../common/companion-protocol';
import { isSameText, plain } from '../../common/same-text';
import { plainText, withoutIcons } from '../../common/plain-text';
import { CompanionCommands } from '../companion-commands';
import { WorkspacePaths } from '../window/workspace-paths';
import { AfterAccept } from './after-accept';
import { Written, FileText, AfterAcceptPage, ExpectedWrite } from './expected-write';
import { changedLines } from './change-count';
import { FileEditors, textOf } from './file-editors';
import { OriginalFile, OriginalContents } from './original-contents';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';

/** How long the changed lines are marked. */
const MARK_TIME_MS = 6_000;
const SYNC_ATTEMPTS = 3;
/** How long the status bar offers to undo. The command stays. */
const OFFER_TIME_MS = 30_000;
/** How many files can be undone, one after the other. */
const UNDO_LIMIT = 20;
const STATUS_ELEMENT = 'companion-written';

/** Shows the files that CLIs have written after an accept, marks their changed lines, and undoes what was written. */
@injectable()
export class WrittenFiles implements AfterAcceptPage, CommandContribution, FrontendApplicationContribution {
    @inject(FileService)
    protected readonly files: FileService;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(FileEditors)
    protected readonly fileEditors: FileEditors;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(MonacoWorkspace)
    protected readonly workspace: MonacoWorkspace;
    @inject(WorkspaceDeleteHandler)
    protected readonly deleteHandler: WorkspaceDeleteHandler;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewEditors)
    protected readonly reviewEditors: ReviewEditors;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewMessages)
    protected readonly reviewMessages: ReviewMessages;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(ILogger)
    @named('companion:WrittenFiles')
    protected readonly logger: ILogger;

    protected afterAccept: AfterAccept;
    /** Writes that are expected. */
    protected readonly expected = new WeakMap<PageReview, ExpectedWrite>();
    protected readonly toDispose = new DisposableCollection();
    /** Accepts that can be undone, the newest last. */
    protected written: Written[] = [];
    protected offer: NodeJS.Timeout | undefined;

    @postConstruct()
    protected init(): void {
        this.afterAccept = new AfterAccept(this);
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.UNDO_ACCEPTED, {
            isEnabled: () => this.written.length > 0,
            execute: () => this.undoLast()
        });
    }

    onStart(): void {
        this.toDispose.pushAll([this.reviews.onDidChange(review => this.follow(review)), this.afterAccept]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** The user accepts: this comes before the backend is told, so that no change of the file is missed. */
    protected follow(review: PageReview): void {
        const { answer, info, view } = review;
        const expected = this.expected.get(review);
        if (!answer && expected) {
            // The accept did not count.
            expected.dispose();
            this.expected.delete(review);
        } else if (answer?.kind === 'accept' && !expected && info) {
            this.expected.set(review, this.expect(review, info));
        } else if (expected && answer?.result?.result === 'late') {
            expected.dispose();
        } else if (expected && answer?.result && view !== 'open' && view !== 'closing') {
            // When what comes to the front in its place is there.
            void animationFrame().then(() => expected.handleConfirmed());
        }
    }

    protected expect({ id, text }: PageReview, review: ReviewInfo): ExpectedWrite {
        const [editor] = this.reviewEditors.editorsOf(id);
        const shown = editor && this.originals.shownOf(id);
        return this.afterAccept.expect({
            review,
            edited: text.isEdited,
            text: text.shown,
            before: shown ? Promise.resolve(fileText({ ...shown, text: editor.originalText })) : this.read(review)
        });
    }

    watch({ uri }: ReviewInfo, changed: () => void, saved: (text: string) => void): Disposable {
        const file = new URI(uri);
        return new DisposableCollection(
            // Theia does not watch files outside the workspace by itself.
            this.files.watch(file),
            this.files.onDidFilesChange(event => event.contains(file) && changed()),
            this.workspace.onDidSaveTextDocument(model => model.uri === uri && saved(textOf(model)))
        );
    }

    async read(review: ReviewInfo): Promise<FileText> {
        return fileText(await this.originals.read(new URI(review.uri)));
    }

    get inFront(): unknown {
        return this.shell.getCurrentWidget('main');
    }

    mayShow({ review }: Written): boolean {
        return (
            this.preferences['companion.review.afterAccept'] === 'show' &&
            this.reviews.here.length === 0 &&
            !this.focus.isTyping &&
            !this.reviewEditors.isCovered &&
            this.models.get(review.uri)?.dirty !== true &&
            !Saveable.isDirty(this.viewerOf(new URI(review.uri)))
        );
    }

    async show({ review, before, text }: Written, mayShow: () => boolean): Promise<void> {
        try {
            const file = new URI(review.uri);
            const open = this.fileEditors.find(file) ?? this.viewerOf(file);
            const widgetOptions = this.reviewEditors.place();
            await this.focus.still(file, async () => {
                const options: EditorOpenerOptions = { mode: 'open', preview: true, widgetOptions };
                const widget = open ?? (await (await this.openers.getOpener(file, options)).open(file, options));
                if (widget instanceof Widget && mayShow()) {
                    await this.shell.revealWidget(widget.id);
                }
                if (widget instanceof EditorWidget && text !== undefined) {
                    await this.showChanges(widget, before.text ?? '', text);
                } else if (open) {
                    await Saveable.get(open)?.revert?.();
                }
            });
        } catch (error) {
            // The line that says that it is written is enough.
            this.logger.warn('A file that was written could not be shown', error);
        }
    }

    /** What shows the file if it is no text editor, such as a notebook. */
    protected viewerOf(file: URI): Widget | undefined {
        return this.shell.widgets.find(widget => NavigatableWidget.is(widget) && widget.getResourceUri()?.isEqual(file));
    }

    /** In the status bar: a message would take the next Escape. */
    tellWritten(written: Written): void {
        const text = this.describe(written);
        status(text);
        if (written.before.exists && written.before.text === undefined) {
            // There is no text to put back.
            return;
        }
        const others = this.written.filter(({ review }) => review.id !== written.review.id);
        this.written = [...others, written].slice(-UNDO_LIMIT);
        const undo = nls.localizeByDefault('Undo');
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text: `${withoutIcons(text)} $(discard) ${undo}`,
            tooltip: `${text}. ${CompanionCommands.UNDO_ACCEPTED.label}`,
            name: CompanionCommands.UNDO_ACCEPTED.label,
            accessibilityInformation: { label: `${text}. ${undo}`, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            // Beside the companion's element.
            priority: 101,
            command: CompanionCommands.UNDO_ACCEPTED.id
        });
        clearTimeout(this.offer);
        this.offer = setTimeout(() => void this.statusBar.removeElement(STATUS_ELEMENT), OFFER_TIME_MS);
    }

    tellNotWritten(review: ReviewInfo, obstacle?: string): void {
        this.reviewMessages.notWritten(review, obstacle, () => void this.commands.executeCommand(CompanionCommands.ASK_AGAIN.id, review));
    }

    protected describe({ review, differs, lost }: Written): string {
        const path = this.paths.display(review.path);
        if (lost === 'link') {
            return nls.localize('theia/cli-companion/review/writtenLink', '{0} written: it was a link, and is a file of its own now', path);
        }
        if (lost === 'executable') {
            return nls.localize('theia/cli-companion/review/writtenMode', '{0} written: it cannot be executed any more', path);
        }
        return differs
            ? nls.localize('theia/cli-companion/review/writtenOtherwise', '{0} written, but not as you accepted it', path)
            : nls.localize('theia/cli-companion/review/written', '{0} written', path);
    }

    protected async showChanges(widget: EditorWidget, before: string, after: string): Promise<void> {
        const editor = MonacoEditor.get(widget);
        // An editor that was open may not have taken the file's new text over yet. A `sync` that Theia (1.74) begins meanwhile ends ours early.
        for (let attempt = 1; editor && attempt <= SYNC_ATTEMPTS && textOf(editor.document) !== plain(after); attempt++) {
            await editor.document.sync();
        }
        const control = editor?.getControl();
        if (!editor || !control?.getModel()) {
            return;
        }
        const changes = changedLines(before, textOf(editor.document));
        if (changes.length === 0) {
            return;
        }
        const position = { lineNumber: markOf(changes[0]).range.startLineNumber, column: 1 };
        control.setPosition(position);
        control.revealPositionInCenterIfOutsideViewport(position);
        const marks = control.createDecorationsCollection(changes.map(markOf));
        // An undo, or what the user types, would stretch them over other lines.
        const changed = control.onDidChangeModelContent(() => toDispose.dispose());
        const timer = setTimeout(() => toDispose.dispose(), MARK_TIME_MS);
        const toDispose = new DisposableCollection(
            changed,
            Disposable.create(() => clearTimeout(timer)),
            Disposable.create(() => marks.clear())
        );
    }

    /** Nothing is written: the earlier text is put into the file's editor. A file that was new goes to Theia's trash, after a question. */
    protected async undoLast(): Promise<void> {
        const last = this.written[this.written.length - 1];
        try {
            if (last && (await this.undo(last))) {
                this.written = this.written.filter(written => written !== last);
                await this.statusBar.removeElement(STATUS_ELEMENT);
            }
        } catch (error) {
            this.messages.error(plainText(error instanceof Error ? error.message : String(error)));
        }
    }

    /** @returns whether it is undone */
    protected async undo({ review, before, text }: Written): Promise<boolean> {
        const file = new URI(review.uri);
        if (before.exists) {
            return this.fileEditors.replace(file, before.text ?? '', model => this.mayUndo(review, model, text));
        }
        await this.deleteHandler.execute([file]);
        return !(await this.files.exists(file));
    }

    /** Asks if the file is not as the CLI wrote it: somebody has gone on in it. */
    protected async mayUndo({ path, cliName }: ReviewInfo, model: MonacoEditorModel, written: string | undefined): Promise<boolean> {
        if (written !== undefined && isSameText(textOf(model), written)) {
            return true;
        }
        const dialog = new ConfirmDialog({
            title: nls.localize('theia/cli-companion/review/undoTitle', 'Undo what {0} wrote?', cliName),
            msg: nls.localize(
                'theia/cli-companion/review/undoChanged',
                '{0} has changed since then. These changes would be lost, too. Undo in its editor restores them.',
                this.paths.display(path)
            ),
            ok: nls.localizeByDefault('Undo')
        });
        return (await dialog.open()) === true;
    }
}

/** Lines that are gone leave an edge under the line before. */
function markOf({ isEmpty, startLineNumber, endLineNumberExclusive }: LineRange): monaco.editor.IModelDeltaDecoration {
    const kind = isEmpty ? 'companion-removed' : 'companion-written';
    const [first, last] = isEmpty ? [startLineNumber - 1, startLineNumber - 1] : [startLineNumber, endLineNumberExclusive - 1];
    return {
        range: new monaco.Range(Math.max(first, 1), 1, Math.max(last, 1), 1),
        options: { isWholeLine: true, className: kind, linesDecorationsClassName: `${kind}-edge` }
    };
}

/** No undo for a file that is not shown, or was not decoded exactly. */
function fileText({ exists, text, modifiedAt, facts, fault }: OriginalFile): FileText {
    return { exists, text: fault ? undefined : text, modifiedAt, facts };
}
