// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import {
    QuickInputButton,
    QuickInputService,
    QuickPick,
    QuickPickItem,
    QuickPickSeparator
} from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { ReviewEditors } from '../review/review-editors';
import { ReviewFocus, ReviewList } from '../review/review-focus';
import { WaitingReviews } from '../review/waiting-reviews';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { ChangeCount, countChanges } from './change-count';
import { describeAge } from './status-text';

/** How long the list waits for the texts that it counts, in milliseconds. */
const READ_LIMIT = 5_000;

type Item = QuickPickItem | QuickPickSeparator;

/** A button beside an item: `iconClass` tells the buttons of one item apart. */
export interface ReviewButton extends QuickInputButton {
    iconClass: string;
    run(): void;
}

/** A waiting review in the quick pick. */
export interface ReviewItem extends QuickPickItem {
    review: ReviewInfo;
    buttons: ReviewButton[];
}

interface ReviewItemOptions {
    review: ReviewInfo;
    /** Another window shows it. */
    elsewhere: boolean;
    count: ChangeCount | undefined;
    /** In milliseconds since the epoch. */
    now: number;
    open(): void;
    accept(): void;
    reject(): void;
}

/** The list that opens from the status bar: waiting reviews on top, with buttons and with the keys of the diff editor. */
@injectable()
export class StatusPick implements ReviewList {
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(FileService)
    protected readonly files: FileService;

    protected pick: QuickPick<QuickPickItem> | undefined;
    protected counts = new Map<string, ChangeCount | undefined>();

    get activeReview(): string | undefined {
        const item = this.pick?.activeItems[0];
        return item && isReviewItem(item) ? item.review.id : undefined;
    }

    /** @param others what stands below the reviews */
    show(others: () => Item[]): void {
        this.pick?.hide();
        const pick = this.quickInput.createQuickPick<QuickPickItem>();
        const toDispose = new DisposableCollection(pick);
        this.pick = pick;
        this.counts = new Map();
        pick.matchOnDescription = true;
        pick.matchOnDetail = true;
        const refresh = (): void => this.fill(pick, others());
        toDispose.pushAll([
            this.connection.onDidChangeState(refresh),
            pick.onDidTriggerItemButton(({ item, button }) => {
                pick.hide();
                if (isReviewItem(item)) {
                    item.buttons.find(({ iconClass }) => iconClass === button.iconClass)?.run();
                }
            }),
            pick.onDidAccept(() => {
                const item = pick.activeItems[0];
                pick.hide();
                item?.execute?.();
            }),
            pick.onDidHide(() => {
                toDispose.dispose();
                if (this.pick === pick) {
                    this.pick = undefined;
                    this.focus.setList(undefined);
                }
            })
        ]);
        refresh();
        pick.show();
        this.focus.setList(this);
        this.all.forEach(review => this.count(review, refresh));
    }

    hide(): void {
        this.pick?.hide();
    }

    protected get all(): readonly ReviewInfo[] {
        return [...this.waiting.here, ...this.waiting.elsewhere];
    }

    protected async count(review: ReviewInfo, refresh: () => void): Promise<void> {
        const { counts } = this;
        const count = await this.readCount(review);
        if (count && counts === this.counts && this.pick) {
            counts.set(review.id, count);
            refresh();
        }
    }

    /** `undefined` if the texts cannot be read or compared in time. Never rejects. */
    protected async readCount({ id, uri, modifiedAt }: ReviewInfo): Promise<ChangeCount | undefined> {
        const readOriginal = async (): Promise<string> =>
            modifiedAt === undefined ? '' : (await this.files.read(new URI(uri), { acceptTextOnly: true })).value;
        const readProposal = async (): Promise<string | undefined> =>
            this.editors.modelOf(id)?.textEditorModel.getValue() ?? (await this.backend.readReview(id))?.text;
        try {
            const texts = Promise.all([readOriginal(), readProposal()]);
            const [original, proposal] = await withTimeLimit(texts, READ_LIMIT, 'The texts were not read in time.');
            return proposal === undefined ? undefined : countChanges(original, proposal);
        } catch {
            return undefined;
        }
    }

    protected fill(pick: QuickPick<QuickPickItem>, others: Item[]): void {
        const active = pick.activeItems[0]?.id;
        const { here, elsewhere } = this.waiting;
        const items: Item[] = [
            ...this.section(nls.localize('companion/status/waitingReviews', 'Waiting reviews'), here, false),
            ...this.section(nls.localize('companion/status/waitingElsewhere', 'Waiting reviews in other windows'), elsewhere, true),
            ...others
        ];
        pick.placeholder =
            this.all.length > 0
                ? nls.localize(
                      'companion/status/pickReviews',
                      'Companion. On a review: Enter opens, Ctrl/Cmd+Enter accepts, Ctrl/Cmd+Alt+Backspace rejects'
                  )
                : nls.localize('companion/status/pick', 'Companion: connections, reviews and settings');
        pick.keepScrollPosition = true;
        pick.items = items;
        const stays = items.filter(isItem).find(({ id }) => id !== undefined && id === active);
        if (stays) {
            pick.activeItems = [stays];
        }
    }

    protected section(label: string, reviews: readonly ReviewInfo[], elsewhere: boolean): Item[] {
        if (reviews.length === 0) {
            return [];
        }
        return [
            { type: 'separator', label },
            ...reviews.map(review =>
                reviewItem({
                    review,
                    elsewhere,
                    count: this.counts.get(review.id),
                    now: Date.now(),
                    open: () => void this.waiting.open(review),
                    accept: () => void this.waiting.accept(review),
                    reject: () => void this.waiting.reject(review)
                })
            )
        ];
    }
}

function isReviewItem(item: QuickPickItem): item is ReviewItem {
    return 'review' in item;
}

function isItem(item: Item): item is QuickPickItem {
    return item.type !== 'separator';
}

function reviewItem({ review, elsewhere, count, now, open, accept, reject }: ReviewItemOptions): ReviewItem {
    const name = review.path.split(/[\\/]/).pop() || review.path;
    const where = elsewhere ? [nls.localize('companion/status/elsewhere', 'in another window: shows it here')] : [];
    const showHere: ReviewButton[] = elsewhere
        ? [{ iconClass: codicon('arrow-down'), tooltip: nls.localize('companion/status/showHere', 'Show Here'), run: open }]
        : [];
    return {
        id: review.id,
        review,
        label: withoutIcons(count ? `${name}  +${count.added} −${count.removed}` : name),
        description: withoutIcons([review.cliName, describeAge(now - review.openedAt), ...where].join(' · ')),
        detail: withoutIcons(review.path),
        ariaLabel: [
            nls.localize(
                'companion/status/reviewItem',
                '{0}, proposed by {1}, {2}',
                name,
                review.cliName,
                describeAge(now - review.openedAt)
            ),
            ...(count ? [nls.localize('companion/status/counts', '{0} lines added, {1} removed', count.added, count.removed)] : []),
            ...where
        ].join(', '),
        execute: open,
        buttons: [
            ...showHere,
            { iconClass: codicon('check'), tooltip: nls.localizeByDefault('Accept'), run: accept },
            { iconClass: codicon('circle-slash'), tooltip: nls.localizeByDefault('Reject'), run: reject }
        ]
    };
}
