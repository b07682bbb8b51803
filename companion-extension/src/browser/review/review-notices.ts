// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, KeybindingRegistry, NavigatableWidget, Saveable, Widget } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { ReviewInfo } from '../../common/companion-protocol';
import { joinSentences, listOf } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { BarContent, Notice, revertName } from './diff-overlay';
import { PageReviews } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditors } from './review-editors';
import { ReviewOutbox } from './review-outbox';
import { OriginalContents, OriginalDifference, REPLACEMENT_CHARACTER } from './review-resource-resolver';

/** The bar and the notices above the diffs: what a user has to know of a review before deciding, in plain sentences. */
@injectable()
export class ReviewNotices {
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewOutbox)
    protected readonly outbox: ReviewOutbox;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(KeybindingRegistry)
    protected readonly keybindings: KeybindingRegistry;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;

    /** The keys of commands, by their ids, until somebody changes them. */
    protected readonly keys = new Map<string, readonly string[]>();

    @postConstruct()
    protected init(): void {
        this.texts.onDidChangeText(id => this.update(id));
        this.outbox.onDidChange(() => this.updateAll());
        this.editors.onDidCompare(id => this.update(id));
        this.shell.onDidChangeCurrentWidget(() => this.updateAll());
        this.originals.onDidChangeShown(id => this.update(id));
        this.keybindings.onKeybindingsChanged(() => this.keys.clear());
        this.models.models.forEach(model => this.track(model));
        this.models.onDidCreate(model => this.track(model));
    }

    /** Shows the bar and the notices that hold now in the review's diff. */
    update(reviewId: string): void {
        const review = this.reviews.infoOf(reviewId);
        if (review) {
            const bar = this.barOf(review);
            const notices = this.of(review);
            const right = nls.localize(
                'theia/cli-companion/review/proposedLabel',
                'Proposed by {0}, editable: {1}',
                review.cliName,
                bar.path
            );
            this.editors.editorsOf(reviewId).forEach(editor => editor.describe(bar.path, right, notices, bar));
        }
    }

    updateAll(affected: (review: ReviewInfo) => boolean = () => true): void {
        this.reviews.waiting.filter(affected).forEach(({ id }) => this.update(id));
    }

    /** The most important first: only that one is in sight. None promises what another one takes back. */
    of(review: ReviewInfo): Notice[] {
        return [
            ...this.ofRefusal(review),
            ...this.ofFile(review).map(text => ({ text })),
            ...this.ofProposal(review),
            ...this.ofOthers(review)
        ];
    }

    /** Why accepting would do nothing; `undefined` if it does something, or if that is not known. */
    refusalOf(review: ReviewInfo): string | undefined {
        if (review.cliGone) {
            return nls.localize(
                'theia/cli-companion/review/cliGone',
                '{0} has stopped responding: accepting would write nothing. If you stopped it with Ctrl+Z, type "fg" in its terminal.',
                review.cliName
            );
        }
        if (this.texts.isEmptied(review.id)) {
            return nls.localize(
                'theia/cli-companion/review/emptied',
                '{0} cannot empty a file: it would write its own proposal instead. Reject the proposal, or leave some text.',
                review.cliName
            );
        }
        if (this.changesNothing(review) && this.texts.isEdited(review.id)) {
            return nls.localize(
                'theia/cli-companion/review/nothingLeft',
                'Nothing is left of the proposal. Reject it, or undo your last edit.'
            );
        }
        const difference = this.refusedDifference(review);
        return difference && this.describeDifference(difference, review);
    }

    protected barOf(review: ReviewInfo): BarContent {
        const { waiting } = this.reviews;
        // Until its answer is confirmed, it is none of them.
        const number = waiting.findIndex(({ id }) => id === review.id) + 1;
        const { path, cliName, modifiedAt } = review;
        return {
            path: this.paths.display(path),
            isNewFile: modifiedAt === undefined,
            cliName,
            ...(number > 0 && waiting.length > 1 && { place: { number, of: waiting.length } }),
            accept: {
                explanation: nls.localize(
                    'theia/cli-companion/review/acceptTip',
                    'Accept what is on the right. Edit it first if you like; an arrow between the sides ({0}) undoes a single change.',
                    revertName()
                ),
                keys: this.keysOf(CompanionCommands.ACCEPT_REVIEW.id),
                refusal: this.refusalOf(review),
                run: () => this.answer(review, CompanionCommands.ACCEPT_REVIEW.id)
            },
            reject: {
                explanation: nls.localize('theia/cli-companion/review/rejectTip', 'Reject: the file stays as it is.'),
                keys: this.keysOf(CompanionCommands.REJECT_REVIEW.id),
                run: () => this.answer(review, CompanionCommands.REJECT_REVIEW.id)
            }
        };
    }

    /** As the toolbar does. */
    protected answer({ id }: ReviewInfo, commandId: string): void {
        void this.commands.executeCommand(commandId, this.editors.widgetsOf(id)[0]);
    }

    /** First the one that works wherever the keyboard is. Ctrl+Enter is an answer to the CLI if its terminal has it. */
    protected keysOf(commandId: string): readonly string[] {
        let keys = this.keys.get(commandId);
        if (!keys) {
            const bindings = this.keybindings.getKeybindingsForCommand(commandId);
            keys = [...new Set(bindings.map(binding => this.keybindings.acceleratorFor(binding, '+').join(' ')))];
            this.keys.set(commandId, keys);
        }
        return keys;
    }

    protected changesNothing({ id }: ReviewInfo): boolean {
        return this.editors.editorsOf(id)[0]?.changesNothing === true;
    }

    /**
     * What makes the CLI write nothing. Qwen Code (0.24) compares the time and the size of the file, as the left side does. A file that has
     * vanished it writes again, or not, depending on the tool that its model has called.
     */
    protected refusedDifference(review: ReviewInfo): OriginalDifference | undefined {
        // Nobody knows what a CLI that does not respond will do.
        return review.traits.changedFile === 'refuses' && !review.cliGone
            ? this.originals.differencesOf(review).find(({ kind }) => kind === 'changed' || kind === 'created')
            : undefined;
    }

    /** Why accepting would do nothing, and what to do instead. */
    protected ofRefusal(review: ReviewInfo): Notice[] {
        const text = this.refusalOf(review);
        return text === undefined ? [] : [{ text, actions: this.insteadOf(review) }];
    }

    protected insteadOf(review: ReviewInfo): NonNullable<Notice['actions']> {
        const action = (id: string, label: string): NonNullable<Notice['actions']> => [
            { label, isMain: true, run: () => void this.commands.executeCommand(id, review) }
        ];
        if (review.cliGone) {
            // A second one of a kind has a number behind its name.
            const cli = this.connection.state?.status.clis.find(({ displayName }) => review.cliName.startsWith(displayName));
            const { id, label } = cli ? CompanionCommands.run(cli) : {};
            return id === undefined || label === undefined ? [] : action(id, label);
        }
        return this.refusedDifference(review)
            ? action(CompanionCommands.ASK_AGAIN.id, nls.localize('theia/cli-companion/review/askAgain', 'Ask Again'))
            : [];
    }

    /** What the user has to know of the file. */
    protected ofFile(review: ReviewInfo): string[] {
        const refused = this.refusedDifference(review);
        return [
            this.texts.isAtRisk(review.id) &&
                nls.localize(
                    'theia/cli-companion/review/notStored',
                    'The connection is lost, and the browser cannot store what you typed. Leave this page open until the connection is back.'
                ),
            review.outsideWorkspace &&
                nls.localize(
                    'theia/cli-companion/review/outsideWorkspace',
                    'This file is outside this workspace: {0}',
                    visibleText(review.path)
                ),
            ...this.originals
                .differencesOf(review)
                .filter(({ kind }) => kind !== refused?.kind)
                .map(difference => this.describeDifference(difference, review)),
            !refused &&
                this.isUnsaved(review) &&
                nls.localize(
                    'theia/cli-companion/review/unsaved',
                    'This file is open with unsaved changes. They are not part of this diff, and what {0} writes will conflict with them.',
                    review.cliName
                )
        ].filter(text => typeof text === 'string');
    }

    /** What the user has to know of the proposal. */
    protected ofProposal(review: ReviewInfo): Notice[] {
        const notices: Notice[] = [];
        const isRefused = this.refusalOf(review) !== undefined;
        if (this.texts.hasOther(review.id)) {
            const text = nls.localize(
                'theia/cli-companion/review/diverged',
                'The proposal was also edited elsewhere. You accept what you see here.'
            );
            const label = nls.localize('theia/cli-companion/review/showOther', 'Show the Other Version');
            notices.push({ text, actions: [{ label, run: () => void this.texts.showOther(review.id) }] });
        }
        if (!isRefused && review.traits.dropsEditsInTerminal && this.texts.isEdited(review.id)) {
            const text = nls.localize(
                'theia/cli-companion/review/answerHere',
                'Answer here to keep your edits. If you answer in the terminal, {0} drops them and writes its own text.',
                review.cliName
            );
            notices.push({ text });
        }
        if (!isRefused && this.changesNothing(review)) {
            const text = nls.localize(
                'theia/cli-companion/review/changesNothing',
                'No lines differ. Accepting changes at most the line endings or the byte order mark.'
            );
            notices.push({ text });
        }
        return notices;
    }

    /** Other CLIs propose changes to the same file, here or in another window. */
    protected ofOthers(review: ReviewInfo): Notice[] {
        const waiting = [...this.reviews.waiting, ...(this.connection.state?.reviewsElsewhere ?? [])];
        const ofFile = waiting.filter(({ id, uri }) => uri === review.uri && id !== review.id);
        const others = nls.localize(
            'theia/cli-companion/review/otherClis',
            'Also proposing changes to this file: {0}.',
            listOf([...new Set(ofFile.map(({ cliName }) => cliName))])
        );
        const text = joinSentences([others, ...(this.refusalOf(review) === undefined ? [this.describeOrder(review)] : [])]);
        return ofFile.length > 0 ? [{ text }] : [];
    }

    /** Also in an editor that has no text model, such as a notebook. */
    protected isUnsaved({ uri }: ReviewInfo): boolean {
        const isOfFile = (widget: Widget): boolean => NavigatableWidget.is(widget) && widget.getResourceUri()?.toString() === uri;
        return this.models.get(uri)?.dirty === true || this.shell.widgets.some(widget => isOfFile(widget) && Saveable.isDirty(widget));
    }

    /** What it means to accept the proposals one after the other. Measured with Qwen Code 0.24, Gemini CLI 0.61 and Claude Code 2.1.330. */
    protected describeOrder({ cliName, traits }: ReviewInfo): string {
        switch (traits.changedFile) {
            case 'refuses':
                return nls.localize('theia/cli-companion/review/otherFirst', 'If you accept theirs first, {0} writes nothing.', cliName);
            case 'merges':
                return nls.localize(
                    'theia/cli-companion/review/otherFirstMerged',
                    'If you accept theirs first, {0} writes its change only if it still fits.',
                    cliName
                );
            default:
                return nls.localize('theia/cli-companion/review/lastWins', 'The last proposal you accept wins.');
        }
    }

    protected describeDifference({ kind, cause }: OriginalDifference, { cliName, cliGone, traits }: ReviewInfo): string {
        // Nobody knows what a CLI that does not respond will do. Measured with Qwen Code 0.24, Gemini CLI 0.61 and Claude Code 2.1.330.
        const refused = nls.localize('theia/cli-companion/review/refused', '{0} will write nothing, even if you accept.', cliName);
        const withConsequence = (what: string, replaces: string, { refuses = refused, merges = replaces } = {}): string =>
            cliGone ? what : joinSentences([what, traits.changedFile ? { refuses, merges }[traits.changedFile] : replaces]);
        const mayWriteNothing = nls.localize(
            'theia/cli-companion/review/vanishedRefused',
            '{0} may write nothing, even if you accept.',
            cliName
        );
        switch (kind) {
            case 'changed':
                return withConsequence(
                    nls.localize(
                        'theia/cli-companion/review/changed',
                        'The file on disk has changed since {0} made this proposal.',
                        cliName
                    ),
                    nls.localize('theia/cli-companion/review/changedOverwritten', 'Accepting replaces what is on the left.'),
                    {
                        merges: nls.localize(
                            'theia/cli-companion/review/changedMerged',
                            'If you accept, {0} writes its change into the file if it still fits, and otherwise nothing.',
                            cliName
                        )
                    }
                );
            case 'created':
                return withConsequence(
                    nls.localize(
                        'theia/cli-companion/review/created',
                        'Since {0} proposed this new file, a file with this name has been created.',
                        cliName
                    ),
                    nls.localize('theia/cli-companion/review/createdOverwritten', 'Accepting replaces it.')
                );
            case 'vanished':
                return withConsequence(
                    nls.localize('theia/cli-companion/review/vanished', 'The file is no longer on disk.'),
                    nls.localize('theia/cli-companion/review/vanishedCreated', 'Accepting creates it again.'),
                    { refuses: mayWriteNothing, merges: mayWriteNothing }
                );
            case 'notUtf8':
                return nls.localize(
                    'theia/cli-companion/review/notUtf8',
                    'The file on disk is not in the encoding that the editor expects: some characters on the left are shown as {0}. Single changes cannot be taken back.',
                    REPLACEMENT_CHARACTER
                );
            case 'binary':
                return nls.localize('theia/cli-companion/review/binary', 'The file on disk is not a text file; its content is not shown.');
            case 'tooLarge':
                return nls.localize('theia/cli-companion/review/tooLarge', 'The file on disk is too large to be shown.');
            case 'directory':
                return nls.localize('theia/cli-companion/review/directory', 'On disk, this is a folder.');
            case 'unreadable':
                return nls.localize('theia/cli-companion/review/unreadable', 'The file on disk cannot be read: {0}', cause ?? '');
        }
    }

    /** Unsaved changes of a file are not part of its diff. */
    protected track(model: MonacoEditorModel): void {
        const { uri } = model;
        if (!uri.startsWith('file:')) {
            return;
        }
        const update = (): void => this.updateAll(review => review.uri === uri);
        const toDispose = new DisposableCollection();
        toDispose.push(model.onDirtyChanged(update));
        toDispose.push(
            model.onWillDispose(() => {
                toDispose.dispose();
                update();
            })
        );
    }
}
