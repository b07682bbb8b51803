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
import { ILogger } from '@theia/core/lib/common/logger';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorOpenerOptions } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import * as monaco from '@theia/monaco-editor-core';
import { hunksOf, LineHunk } from '../../common/diff/line-hunks';
import { CompanionPreferences } from '../../common/companion-preferences';
import { AcceptedProposal } from '../../common/companion-protocol';
import { fromWire } from '../../common/diff/raw-text';
import { ReviewBackend } from '../../common/review-protocol';
import { plain } from '../../common/same-text';
import { CompanionConnection } from '../window/companion-connection';
import { KeyboardHold } from '../window/keyboard-hold';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { FileEncodings } from '../diff/file-encodings';
import { FileEditors, textOf } from '../diff/file-editors';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';

/** How long the changed lines are marked. */
const MARK_TIME_MS = 6_000;
const SYNC_ATTEMPTS = 3;
const READ_LIMIT_MS = 10_000;
const MAX_REMEMBERED = 20;

/** Shows the files that CLIs have written after an accept in this page, and marks their changed lines; or says that they have not. */
@injectable()
export class WrittenFiles implements FrontendApplicationContribution {
    @inject(ReviewBackend)
    protected readonly backend: Pick<ReviewBackend, 'readAccepted'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'ask' | 'state' | 'onDidChangeState'>;
    @inject(FileEncodings)
    protected readonly encodings: Pick<FileEncodings, 'textOf'>;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(FileEditors)
    protected readonly fileEditors: FileEditors;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewEditors)
    protected readonly reviewEditors: ReviewEditors;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(KeyboardHold)
    protected readonly hold: Pick<KeyboardHold, 'still'>;
    @inject(ReviewMessages)
    protected readonly reviewMessages: ReviewMessages;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(ILogger)
    @named('companion:WrittenFiles')
    protected readonly logger: ILogger;

    /** What came to the front when the diff had closed, by the reviews' ids: if it is something else later, the user has gone on. */
    protected readonly inFrontAfter = new Map<string, unknown>();
    /** The verdicts that were handled, by the reviews' ids. */
    protected readonly handled = new Map<string, number>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.update()),
            this.reviews.onDidChange(({ id, answer, view }) => {
                if (answer?.kind === 'accept' && answer.result?.result === 'done' && view !== 'open' && view !== 'closing') {
                    // When what comes to the front in its place is there.
                    void animationFrame().then(() => this.handleClosed(id));
                }
            })
        ]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected handleClosed(id: string): void {
        if (!this.inFrontAfter.has(id)) {
            [...this.inFrontAfter.keys()].slice(0, -MAX_REMEMBERED).forEach(oldest => this.inFrontAfter.delete(oldest));
            this.inFrontAfter.set(id, this.inFront);
            this.update();
        }
    }

    protected update(): void {
        const { accepted = [] } = this.connection.state ?? {};
        for (const proposal of accepted.filter(({ id, isHere, judged }) => isHere && this.handled.get(id) !== judged)) {
            const { id, verdict, judged, isEdited, obstacle } = proposal;
            if (verdict === 'notWritten' || verdict === 'unknown') {
                this.handled.set(id, judged);
                if (verdict === 'notWritten' && !isEdited) {
                    const askAgain = (): unknown => this.commands.executeCommand(SHARED_COMMANDS.ASK_AGAIN.id, proposal);
                    this.reviewMessages.notWritten(proposal, obstacle, askAgain);
                }
            } else if (this.inFrontAfter.has(id)) {
                this.handled.set(id, judged);
                void this.show(proposal);
            }
        }
        for (const id of [...this.handled.keys()].filter(known => !accepted.some(proposal => proposal.id === known))) {
            this.handled.delete(id);
            this.inFrontAfter.delete(id);
        }
    }

    protected get inFront(): unknown {
        return this.shell.getCurrentWidget('main');
    }

    /** True if a file may come to the front now, without covering what the user needs. */
    protected mayShow({ id, uri }: AcceptedProposal): boolean {
        return (
            this.inFront === this.inFrontAfter.get(id) &&
            this.preferences['companion.review.afterAccept'] === 'show' &&
            this.reviews.here.length === 0 &&
            !this.focus.isTyping &&
            !this.reviewEditors.isCovered &&
            this.models.get(uri)?.dirty !== true &&
            !Saveable.isDirty(this.viewerOf(new URI(uri)))
        );
    }

    protected async show(proposal: AcceptedProposal): Promise<void> {
        if (!this.mayShow(proposal)) {
            return;
        }
        try {
            const file = new URI(proposal.uri);
            const texts = await this.readTexts(proposal);
            const open = this.fileEditors.find(file) ?? this.viewerOf(file);
            const widgetOptions = this.reviewEditors.place();
            await this.hold.still(file, async () => {
                const options: EditorOpenerOptions = { mode: 'open', preview: true, widgetOptions };
                const widget = open ?? (await (await this.openers.getOpener(file, options)).open(file, options));
                if (widget instanceof Widget && this.mayShow(proposal)) {
                    await this.shell.revealWidget(widget.id);
                }
                if (widget instanceof EditorWidget && texts) {
                    await this.showChanges(widget, texts.before, texts.after);
                } else if (open) {
                    await Saveable.get(open)?.revert?.();
                }
            });
            // The file is in front now.
            this.inFrontAfter.set(proposal.id, this.inFront);
        } catch (error) {
            // The line that says that it is written is enough.
            this.logger.warn('A file that was written could not be shown', error);
        }
    }

    /** As an editor has them. */
    protected async readTexts({ id, uri }: AcceptedProposal): Promise<{ before: string; after: string } | undefined> {
        const texts = await this.connection.ask(() => this.backend.readAccepted(id), READ_LIMIT_MS);
        const textOfRaw = async (raw: string): Promise<string> => plain(await this.encodings.textOf(new URI(uri), fromWire(raw)));
        return texts && { before: await textOfRaw(texts.before ?? ''), after: await textOfRaw(texts.after) };
    }

    /** What shows the file if it is no text editor, such as a notebook. */
    protected viewerOf(file: URI): Widget | undefined {
        return this.shell.widgets.find(widget => NavigatableWidget.is(widget) && widget.getResourceUri()?.isEqual(file));
    }

    protected async showChanges(widget: EditorWidget, before: string, after: string): Promise<void> {
        const editor = MonacoEditor.get(widget);
        // An editor that was open may not have taken the file's new text over yet. A `sync` that Theia (1.74) begins meanwhile ends ours early.
        for (let attempt = 1; editor && attempt <= SYNC_ATTEMPTS && textOf(editor.document) !== after; attempt++) {
            await editor.document.sync();
        }
        const control = editor?.getControl();
        if (!editor || !control?.getModel()) {
            return;
        }
        const changes = hunksOf(before, textOf(editor.document));
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
