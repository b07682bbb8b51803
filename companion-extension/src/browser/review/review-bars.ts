// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, FrontendApplicationContribution, NavigatableWidget, Saveable, Widget } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { ReviewInfo } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { Notice, revertName } from '../diff/diff-overlay';
import { BarContent } from '../diff/diff-bar';
import { FileEncodings } from '../diff/file-encodings';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFacts, ReviewNotice, ReviewNotices, UnconfirmedAnswer } from './review-notices';

/** Shows the bar and the notices above the diffs, as they hold now. */
@injectable()
export class ReviewBars implements FrontendApplicationContribution {
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewNotices)
    protected readonly notices: ReviewNotices;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(FileEncodings)
    protected readonly encodings: FileEncodings;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.reviews.onDidChange(review => this.update(review)),
            this.editors.onDidCompare(id => this.update(this.reviews.get(id))),
            this.shell.onDidChangeCurrentWidget(() => this.updateAll()),
            this.connection.onDidChangeState(() => this.updateAll()),
            this.models.onDidCreate(model => this.track(model))
        ]);
        this.models.models.forEach(model => this.track(model));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** Why accepting would do nothing; `undefined` if it does something. */
    refusalOf(review: PageReview): string | undefined {
        return review.info && this.notices.refusalOf(this.factsOf(review, review.info))?.text;
    }

    protected update(review: PageReview | undefined): void {
        const editors = review ? this.editors.editorsOf(review.id) : [];
        if (!review?.info || editors.length === 0) {
            return;
        }
        const { info } = review;
        const facts = this.factsOf(review, info);
        const bar = this.barOf(review, info, this.notices.refusalOf(facts), facts.unconfirmed !== undefined);
        const left = nls.localize('theia/cli-companion/review/originalLabel', 'File on disk: {0}', bar.path);
        const right = review.isReadOnly
            ? nls.localize('theia/cli-companion/review/readOnlyLabel', 'Proposed by {0}, read-only: {1}', info.cliName, bar.path)
            : nls.localize('theia/cli-companion/review/proposedLabel', 'Proposed by {0}, editable: {1}', info.cliName, bar.path);
        const shown = this.notices.of(facts).map(notice => this.withActions(notice, info));
        // Of a text that is not shown as it is, nothing can be put back.
        const isExact = review.left !== undefined && review.left.fault === undefined;
        for (const editor of editors) {
            editor.setRevertible(isExact);
            editor.describe(left, right, shown, bar);
        }
    }

    protected updateAll(affected: (info: ReviewInfo) => boolean = () => true): void {
        this.reviews.all.filter(({ info }) => info && affected(info)).forEach(review => this.update(review));
    }

    protected factsOf(review: PageReview, info: ReviewInfo): ReviewFacts {
        const { isEdited, isEmptied, isTooLong } = review.text;
        const { differences, left } = review;
        const [editor] = this.editors.editorsOf(info.id);
        return {
            info,
            isEdited,
            isEmptied,
            isTooLong,
            isAtRisk: this.reviews.isAtRisk(review),
            unconfirmed: this.unconfirmedOf(review),
            changesNothing: editor?.changesNothing === true,
            uncertainLineEnds: this.editors.modelOf(info.id)?.uncertainLineEnds,
            differences,
            chosenEncoding: left?.chosenEncoding,
            file: left?.facts,
            isUnsaved: this.isUnsaved(info),
            rivals: this.reviews.waiting.filter(({ id, uri }) => uri === info.uri && id !== info.id).map(({ cliName }) => cliName)
        };
    }

    protected unconfirmedOf(review: PageReview): UnconfirmedAnswer | undefined {
        const { connected, reloadNeeded } = this.connection;
        const { isAnswering, answer } = review;
        if (!isAnswering || (connected && !answer?.isDelayed)) {
            return undefined;
        }
        const waitsFor = this.reviews.canTakeBack(review) ? 'connection' : 'confirmation';
        return { accepts: answer?.kind === 'accept', waitsFor: reloadNeeded ? 'reload' : waitsFor };
    }

    /** @param answered with neither button anything more can be said */
    protected barOf(
        { isNewFile }: PageReview,
        { id, path, leadsTo, cliName, traits }: ReviewInfo,
        refusal: ReviewNotice | undefined,
        answered: boolean
    ): BarContent {
        const rejectRefusal = answered ? refusal?.text : undefined;
        const { waiting } = this.reviews;
        // Until its answer is confirmed, it is none of them.
        const number = waiting.findIndex(one => one.id === id) + 1;
        const file = this.paths.display(path);
        return {
            label: nls.localize('theia/cli-companion/review/barLabel', 'Proposal of {0} for {1}', cliName, file),
            path: file,
            leadsTo: leadsTo === undefined ? undefined : this.paths.display(leadsTo),
            isNewFile,
            cliName,
            ...(number > 0 &&
                waiting.length > 1 && {
                    place: nls.localize('theia/cli-companion/review/place', 'proposal {0} of {1}', number, waiting.length)
                }),
            answers: [
                {
                    command: SHARED_COMMANDS.ACCEPT_REVIEW.id,
                    word: nls.localize('theia/cli-companion/review/accept', 'Accept'),
                    isMain: true,
                    explanation: traits.writesOwnText
                        ? nls.localize('theia/cli-companion/review/acceptReadOnlyTip', 'Accept what is on the right.')
                        : nls.localize(
                              'theia/cli-companion/review/acceptTip',
                              'Accept what is on the right. Edit it first if you like; an arrow between the sides ({0}) undoes a single change.',
                              revertName()
                          ),
                    refusal: refusal?.text
                },
                {
                    command: SHARED_COMMANDS.REJECT_REVIEW.id,
                    word: nls.localize('theia/cli-companion/review/reject', 'Reject'),
                    explanation: nls.localize('theia/cli-companion/review/rejectTip', 'Reject: the file stays as it is.'),
                    refusal: rejectRefusal
                },
                {
                    command: SHARED_COMMANDS.REJECT_WITH_REASON.id,
                    word: nls.localize('theia/cli-companion/review/rejectWithReason', 'Reject with Reason…'),
                    explanation: nls.localize(
                        'theia/cli-companion/review/rejectWithReasonTip',
                        'Reject, and say why in the prompt of {0}.',
                        cliName
                    ),
                    refusal: rejectRefusal
                }
            ]
        };
    }

    protected withActions({ text, action }: ReviewNotice, info: ReviewInfo): Notice {
        const offer = (label: string, act: () => unknown): Notice => ({ text, actions: [{ label, isMain: true, run: () => void act() }] });
        const run = (id: string, label: string): Notice => offer(label, () => this.commands.executeCommand(id, info));
        if (action === 'chooseEncoding') {
            const label = nls.localize('theia/cli-companion/review/chooseEncoding', 'Choose Encoding…');
            return offer(label, () => this.encodings.choose(new URI(info.uri)));
        }
        if (action === 'takeBack') {
            const label = nls.localize('theia/cli-companion/review/takeBack', 'Take Back');
            return offer(label, () => this.reviews.takeBack(info.id));
        }
        if (action === 'askAgain') {
            return run(SHARED_COMMANDS.ASK_AGAIN.id, nls.localize('theia/cli-companion/review/askAgain', 'Ask Again'));
        }
        // A second one of a kind has a number behind its name.
        const cli = this.connection.state?.status.clis.find(({ displayName }) => info.cliName.startsWith(displayName));
        const { id, label } = action === 'runCli' && cli ? SHARED_COMMANDS.run(cli) : {};
        return id === undefined || label === undefined ? { text } : run(id, label);
    }

    /** True for an editor without a text model, too, such as a notebook. */
    protected isUnsaved({ uri }: ReviewInfo): boolean {
        const isOfFile = (widget: Widget): boolean => NavigatableWidget.is(widget) && widget.getResourceUri()?.toString() === uri;
        return this.models.get(uri)?.dirty === true || this.shell.widgets.some(widget => isOfFile(widget) && Saveable.isDirty(widget));
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
