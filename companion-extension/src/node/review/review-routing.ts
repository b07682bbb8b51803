// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { CompanionLimits } from '../../common/companion-limits';
import {
    AcceptedProposal,
    AcceptedTexts,
    KeptEdit as KeptEditInfo,
    ReviewAnswer,
    ReviewContent,
    ReviewInfo,
    ReviewSave,
    SeenFile,
    ShownText,
    ShowReviewResult,
    WriteVerdict
} from '../../common/companion-protocol';
import { decodeRaw, toWire } from '../../common/diff/raw-text';
import { visibleText } from '../../common/visible-text';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { FolderPrivacy } from '../context/folder-privacy';
import { isInside } from '../host/paths';
import { ServerEvents } from '../server/companion-events';
import type { ConnectedPage } from '../server/connected-page';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { Windows } from '../server/windows';
import { ExpectedWrite } from './expected-write';
import { KEPT_DAYS, KeptEdit, StoredEdit } from './kept-edits';
import { placeIn, Review, ReviewOwner, ReviewPlace } from './review';
import { isOutside } from './review-path';
import { Reviews } from './reviews';
import { ReviewPresenter } from './window-reviews';

/** A kept edit, or another text of a file. */
type Listable = Pick<StoredEdit, 'place' | 'path'> & Partial<Pick<KeptEdit, 'isHomeless'>>;

/** Which windows list a review, which one opens it, and which page may read and answer it and send what its user typed. */
@injectable()
export class ReviewRouting implements ReviewPresenter, WindowFeature {
    @inject(Reviews)
    protected readonly reviews: Reviews;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    @postConstruct()
    protected init(): void {
        this.events.followReviews(this.reviews);
    }

    /** Pages must learn something about reviews or kept edits. */
    get onDidChange(): Reviews['onDidChange'] {
        return this.reviews.onDidChange;
    }

    stateOf(window: Window): WindowStatePart {
        return { reviews: this.waitingIn(window), keptEdits: this.keptEdits(window), accepted: this.acceptedIn(window) };
    }

    /** A review that waits keeps the name of its CLI. */
    namedSessions(): ReviewOwner[] {
        return this.reviews.waiting().flatMap(({ owner }) => owner ?? []);
    }

    /** Its page is told what other backends have left. */
    greet(): void {
        void this.reviews.look();
    }

    async stop(): Promise<void> {
        this.reviews.dispose();
        await this.reviews.store().catch(() => undefined);
    }

    read(window: Window, reviewId: string): ReviewContent | undefined {
        const review = this.reviewFor(window, reviewId);
        if (!review?.isWaiting) {
            return undefined;
        }
        const { proposal, text } = review;
        return { review: this.infoOf(window, review), proposal, ...(text !== undefined && { text }) };
    }

    /** It is on the screen of the window's page. */
    markShown(window: Window, reviewId: string): void {
        const review = this.reviewFor(window, reviewId);
        if (review?.isWaiting && !review.wasShown) {
            review.wasShown = true;
            this.events.recordReview(review, 'shown');
        }
    }

    async accept(window: Window, reviewId: string, shown: ShownText, file: SeenFile | undefined): Promise<ReviewAnswer> {
        const review = this.reviewFor(window, reviewId);
        return review ? this.reviews.acceptSeen(review, shown, window.loadId, file) : { result: 'late', how: 'unknown' };
    }

    reject(window: Window, reviewId: string): ReviewAnswer {
        const review = this.reviewFor(window, reviewId);
        return review ? this.reviews.reject(review, window.loadId) : { result: 'late', how: 'unknown' };
    }

    /** The user has closed the diff, which rejects only from the last page that shows it: a copy may have opened by itself. */
    async rejectByClosing(window: Window, reviewId: string): Promise<ReviewAnswer> {
        const review = this.reviewFor(window, reviewId);
        const others = review?.isWaiting ? this.pagesOf(review).filter(([other]) => other !== window) : [];
        const mayShow = await Promise.all(others.map(([, page]) => page.mayShow(reviewId)));
        return mayShow.includes(true) ? { result: 'shownElsewhere' } : this.reject(window, reviewId);
    }

    /**
     * Takes it whatever became of the review. A window that has opened another folder since changes no review: its text becomes a kept edit.
     *
     * @returns when it is on disk. Rejects if it cannot be stored
     */
    async save(window: Window, save: ReviewSave): Promise<void> {
        const isOther = !this.reviewFor(window, save.about.reviewId) && this.reviews.find(save.about.reviewId) !== undefined;
        await this.reviews.save(isOther ? { ...save, base: [], apart: true } : save, placeIn(window));
    }

    /** Lists them, which begins their days. */
    keptEdits(window: Window): KeptEditInfo[] {
        const kept = this.reviews.listEdits(edit => this.lists(window, edit));
        this.reviews.noteListed(kept);
        return kept.map(edit => this.describe(window, edit));
    }

    readEdit(window: Window, id: string): string | undefined {
        const edit = this.reviews.findEdit(id);
        return edit && this.lists(window, edit) ? edit.text : undefined;
    }

    /** @returns when that is on disk, also if a page asks again after that has failed. Rejects if it cannot be stored */
    async discardEdit(window: Window, id: string): Promise<void> {
        const edit = this.reviews.findEdit(id);
        await (edit && this.lists(window, edit) ? this.reviews.discard(id) : this.reviews.store());
    }

    /** What became of accepted proposals. */
    acceptedIn(window: Window): AcceptedProposal[] {
        const shown = this.reviews.writes.judged.filter(({ review }) => this.listsFile(window, review));
        return shown.flatMap(write => (write.verdict ? this.describeWrite(window, write, write.verdict) : []));
    }

    readAccepted(window: Window, reviewId: string): AcceptedTexts | undefined {
        const { before, after } = this.writeIn(window, reviewId) ?? {};
        const [bytes, to] = [before?.content?.bytes, after && decodeRaw(after)];
        const from = bytes && decodeRaw(bytes);
        return to === undefined || from === undefined ? undefined : { ...(from !== null && { before: toWire(from) }), after: toWire(to) };
    }

    forgetAccepted(window: Window, reviewId: string): void {
        const write = this.writeIn(window, reviewId);
        if (write) {
            this.reviews.writes.remove(reviewId);
            this.events.recordReview(write.review, 'acceptUndone');
        }
    }

    /** Whether a window of this backend shares the file with no CLI. Rejects if nobody can tell. */
    async isPrivate({ file: { realPath }, place }: Pick<Review, 'file' | 'place'>): Promise<boolean> {
        const root = place.roots.find(one => isInside(one, realPath)) ?? path.parse(realPath).root;
        const privacy = new FolderPrivacy(root, this.fileAccess);
        privacy.setPatterns(
            this.windows
                .all()
                .flatMap(({ excludes }) => excludes)
                .filter(said => said.root === undefined || said.root === root)
        );
        await privacy.read();
        return privacy.isSecret(path.relative(root, realPath));
    }

    /** Whether a window of this backend lists the edit. */
    concerns(edit: Listable): boolean {
        return this.windows.all().some(window => this.lists(window, edit));
    }

    /** Shows the review in its window. If that window is silent, the next one shows it at once. @returns `undefined` if none answers */
    async show(review: Review): Promise<ShowReviewResult | undefined> {
        const tried = new Set<Window>();
        let window = this.opening(review);
        while (window?.page && !tried.has(window) && review.isWaiting) {
            tried.add(window);
            const isShort = review.text === undefined && review.proposal.length <= CompanionLimits.shortText;
            const result = await window.page.show(this.infoOf(window, review), isShort ? review.proposal : undefined);
            if (this.opening(review) === window && (result || !window.silent)) {
                return result;
            }
            window = this.opening(review);
        }
        return undefined;
    }

    /**
     * The CLI closes the diff: asks each page that may show it for a text that may be newer. We always ask: a page's word that its text has
     * changed could arrive after the CLI's closeDiff.
     */
    async close(review: Review): Promise<void> {
        await Promise.all(
            this.pagesOf(review).map(async ([window, page]) => {
                const save = await page.close(review.id);
                if (save?.about.reviewId === review.id) {
                    // The CLI waits: that it is on disk is confirmed to the page when it sends it by itself.
                    void this.reviews.save(save, placeIn(window)).catch(() => undefined);
                }
            })
        );
    }

    /** Every waiting review that the window may show. */
    waitingIn(window: Window): ReviewInfo[] {
        const shown = this.reviews.waiting().filter(review => this.shows(window, review));
        return shown.map(review => this.infoOf(window, review));
    }

    /** The window that opens a review by itself: the one that serves its CLI. */
    protected opening(review: Review): Window | undefined {
        const owner = this.windows.get(review.place.windowId);
        return owner?.server && this.windows.serving(owner);
    }

    protected infoOf(window: Window, review: Review): ReviewInfo {
        const { id, file, owner, openedAt, revision } = review;
        const named = window.workspace.named({
            id,
            path: visibleText(file.path),
            uri: FileUri.create(file.path).toString(),
            cliName: this.reviews.nameOf(review),
            outsideWorkspace: isOutside(file.realPath, window.roots),
            cliGone: owner?.gone ?? true,
            traits: this.clis.traitsOf(owner?.cliId ?? ''),
            openedAt,
            revision,
            ...(this.opening(review) === window && { opens: true as const }),
            ...(file.modifiedAt === undefined ? {} : { modifiedAt: file.modifiedAt })
        });
        const { path: realPath } = window.workspace.named({
            path: visibleText(file.realPath),
            uri: FileUri.create(file.realPath).toString()
        });
        return { ...named, ...(realPath !== named.path && { leadsTo: realPath }) };
    }

    protected describe(window: Window, edit: KeptEdit): KeptEditInfo {
        const { id, reviewId, path: file, cliName, reason, keptAt, days, write } = edit;
        return window.workspace.named({
            id,
            reviewId,
            path: visibleText(file),
            uri: FileUri.create(file).toString(),
            cliName,
            reason,
            keptAt,
            daysLeft: KEPT_DAYS + 1 - days,
            ...(edit.isHomeless && { folderGone: true as const }),
            ...((write?.isOther || edit.isHomeless) && { quiet: true as const })
        });
    }

    protected describeWrite(window: Window, write: ExpectedWrite, verdict: WriteVerdict): AcceptedProposal {
        const { review, judge, before, after, facts, judged, acceptedAt } = write;
        const { id, file, answeredBy } = review;
        const lost =
            before.facts?.isLink && !facts?.isLink ? 'link' : before.facts?.isExecutable && !facts?.isExecutable ? 'executable' : undefined;
        const noUndo = before.notKept ?? (after && decodeRaw(after) !== undefined ? undefined : 'unknown');
        return window.workspace.named({
            id,
            path: visibleText(file.path),
            uri: FileUri.create(file.path).toString(),
            cliName: this.reviews.nameOf(review),
            verdict,
            judged,
            acceptedAt,
            ...(before.hash === '' && { isNew: true as const }),
            ...(answeredBy === window.loadId && { isHere: true as const }),
            ...(judge.isEdited && { isEdited: true as const }),
            ...(lost && facts && { lost }),
            ...(facts?.obstacle !== undefined && { obstacle: facts.obstacle }),
            ...(noUndo && { noUndo })
        });
    }

    protected writeIn(window: Window, reviewId: string): ExpectedWrite | undefined {
        const write = this.reviews.writes.find(reviewId);
        return write && this.listsFile(window, write.review) ? write : undefined;
    }

    /**
     * @returns `undefined` if it has ended long ago, or is one of another workspace. Throws if that is not known: the page says the same again,
     *     and nothing of it may be lost or refused for good
     */
    protected reviewFor(window: Window, reviewId: string): Review | undefined {
        const review = this.reviews.find(reviewId);
        if (!review || this.shows(window, review)) {
            return review;
        }
        if (!isKnown(window)) {
            throw new Error('The folders of this window are not known yet; try again');
        }
        return undefined;
    }

    /** The pages that may show it and answer, also of windows whose roots are not known yet. */
    protected pagesOf(review: Review): Array<[Window, ConnectedPage]> {
        const windows = this.windows.all().filter(window => !window.silent && (this.shows(window, review) || !isKnown(window)));
        return windows.flatMap((window): Array<[Window, ConnectedPage]> => (window.page ? [[window, window.page]] : []));
    }

    protected shows(window: Window, review: Review): boolean {
        return belongsTo(this.placeOf(review), window) || this.opening(review) === window;
    }

    protected listsFile(window: Window, { place, file: { path: file } }: Review): boolean {
        return this.lists(window, { place, path: file });
    }

    protected lists(window: Window, { place, path: file, isHomeless = false }: Listable): boolean {
        return isHomeless || belongsTo(place, window) || window.roots.some(root => isInside(root, file));
    }

    /** A waiting review follows the roots of its window; an ended one keeps the roots that it had. */
    protected placeOf({ hasEnded, place }: Review): ReviewPlace {
        const window = hasEnded ? undefined : this.windows.get(place.windowId);
        return window ? placeIn(window) : place;
    }
}

/** Whether the roots that its page said last were found. */
function isKnown({ workspace, snapshot }: Window): boolean {
    return workspace.isOf(snapshot?.roots);
}

function belongsTo(place: ReviewPlace, window: Window): boolean {
    return place.windowId === window.id || window.hasRoots(place.roots);
}
