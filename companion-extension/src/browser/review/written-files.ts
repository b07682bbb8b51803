// SPDX-License-Identifier: Apache-2.0

import {
    animationFrame,
    ApplicationShell,
    FrontendApplicationContribution,
    NavigatableWidget,
    OpenerService,
    Saveable,
    Widget
} from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorOpenerOptions } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { MonacoWorkspace } from '@theia/monaco/lib/browser/monaco-workspace';
import * as monaco from '@theia/monaco-editor-core';
import { hunksOf, LineHunk } from '../../common/diff/line-hunks';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo } from '../../common/companion-protocol';
import { plain } from '../../common/same-text';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { AfterAcceptPage, ExpectedWrite, FileSnapshot, Written } from './expected-write';
import { FileEditors, textOf } from '../diff/file-editors';
import { OriginalContents } from '../diff/original-contents';
import { OriginalFile } from '../diff/original-file';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';

/** How long the changed lines are marked. */
const MARK_TIME_MS = 6_000;
const SYNC_ATTEMPTS = 3;

/** Shows the files that CLIs have written after an accept, and marks their changed lines. */
@injectable()
export class WrittenFiles implements AfterAcceptPage, FrontendApplicationContribution {
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
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewEditors)
    protected readonly reviewEditors: ReviewEditors;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewMessages)
    protected readonly reviewMessages: ReviewMessages;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(ILogger)
    @named('companion:WrittenFiles')
    protected readonly logger: ILogger;

    /** Writes that are expected, or were. */
    protected readonly expected = new WeakMap<PageReview, ExpectedWrite>();
    /** Those that still are, by the files' URIs. A later accept for the same file takes the place of an earlier one. */
    protected readonly newest = new Map<string, ExpectedWrite>();
    protected readonly onDidWriteEmitter = new Emitter<Written>();
    /** Fires again if the file changes at once. */
    readonly onDidWrite = this.onDidWriteEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidWriteEmitter);

    onStart(): void {
        this.toDispose.push(this.reviews.onDidChange(review => this.follow(review)));
    }

    onStop(): void {
        this.newest.forEach(expected => expected.dispose());
        this.toDispose.dispose();
    }

    /** The user accepts: this comes before the backend is told, so that no change of the file is missed. */
    protected follow(review: PageReview): void {
        const { answer, info, view, isListed } = review;
        const expected = this.expected.get(review);
        if (!answer && expected && isListed) {
            // The accept did not count.
            expected.dispose();
            this.expected.delete(review);
        } else if (answer?.kind === 'accept' && !expected && info) {
            this.expected.set(review, this.expect(review, info, true));
        } else if (!answer && !expected && !isListed && view === 'open' && info && review.text.shown !== undefined) {
            const elsewhere = this.expect(review, info, false);
            this.expected.set(review, elsewhere);
            elsewhere.handleConfirmed();
        } else if (expected && answer?.result?.result === 'late') {
            expected.dispose();
        } else if (expected && answer?.result && view !== 'open' && view !== 'closing') {
            // When what comes to the front in its place is there.
            void animationFrame().then(() => expected.handleConfirmed());
        }
    }

    protected expect({ text, left }: PageReview, review: ReviewInfo, isAnsweredHere: boolean): ExpectedWrite {
        const accepted = {
            review,
            edited: text.isEdited,
            text: text.shown,
            before: left ? Promise.resolve(snapshotOf(left)) : this.read(review),
            isAnsweredHere
        };
        this.newest.get(review.uri)?.dispose();
        const expected = new ExpectedWrite(this, accepted, () => this.newest.delete(review.uri));
        this.newest.set(review.uri, expected);
        return expected;
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

    async read(review: ReviewInfo): Promise<FileSnapshot> {
        return snapshotOf(await this.originals.read(new URI(review.uri)));
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

    tellWritten(written: Written): void {
        this.onDidWriteEmitter.fire(written);
    }

    tellNotWritten(review: ReviewInfo, obstacle?: string): void {
        this.reviewMessages.notWritten(review, obstacle, () => void this.commands.executeCommand(SHARED_COMMANDS.ASK_AGAIN.id, review));
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
        const changes = hunksOf(plain(before), textOf(editor.document));
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
}

/** Lines that are gone leave an edge under the line before. */
function markOf({ diskStart, diskEnd }: LineHunk): monaco.editor.IModelDeltaDecoration {
    const isEmpty = diskStart === diskEnd;
    const kind = isEmpty ? 'companion-removed' : 'companion-written';
    const [first, last] = [isEmpty ? diskStart : diskStart + 1, diskEnd];
    return {
        range: new monaco.Range(Math.max(first, 1), 1, Math.max(last, 1), 1),
        options: { isWholeLine: true, className: kind, linesDecorationsClassName: `${kind}-edge` }
    };
}

/** No text of a file that is not shown, or was not decoded exactly. */
function snapshotOf({ exists, text, modifiedAt, facts, fault }: OriginalFile): FileSnapshot {
    return { exists, text: fault ? undefined : text, modifiedAt, facts };
}
