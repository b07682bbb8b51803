// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { isOSX } from '@theia/core/lib/common/os';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService, QuickPick, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { CompanionCommands } from '../companion-commands';
import { AnswerGuard } from '../review/answer-guard';
import { ReviewFocus, ReviewList } from '../review/review-focus';
import { WaitingReviews } from '../review/waiting-reviews';
import { ListItem, RowButton, section, StatusList } from './status-list';
import { describeAge } from './status-rows';

/** A waiting review in the quick pick. */
export interface ReviewItem extends ListItem {
    review: ReviewInfo;
    buttons: RowButton[];
}

/** The list that opens from the status bar: waiting reviews on top, with buttons and with the keys of the diff editor. */
@injectable()
export class StatusPick implements ReviewList {
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(StatusList)
    protected readonly list: StatusList;

    protected pick: QuickPick<ListItem> | undefined;

    get activeReview(): ReviewInfo | undefined {
        const item = this.pick?.activeItems[0];
        return item && isReviewItem(item) ? item.review : undefined;
    }

    show(): void {
        this.pick?.hide();
        const pick = this.quickInput.createQuickPick<ListItem>();
        const toDispose = new DisposableCollection(pick);
        this.pick = pick;
        pick.matchOnDescription = true;
        pick.matchOnDetail = true;
        toDispose.pushAll([
            pick.onDidTriggerItemButton(({ item, button }) => {
                // It may have been meant for another row.
                if (!this.guard.takesAnswer()) {
                    return;
                }
                pick.hide();
                const buttons: ReadonlyArray<Partial<RowButton>> = item.buttons ?? [];
                buttons.find(({ iconClass }) => iconClass === button.iconClass)?.run?.();
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
        // The backend looks whether the files have what was kept.
        this.list.refresh();
        this.fill(pick);
        pick.show();
        this.focus.setList(this);
        void this.list.findTerminals().then(() => this.refresh());
    }

    /** Shows what is new, if the list is open. */
    refresh(): void {
        if (this.pick) {
            this.fill(this.pick);
        }
    }

    hide(): void {
        this.pick?.hide();
    }

    protected fill(pick: QuickPick<ListItem>): void {
        const active = pick.activeItems[0]?.id;
        const { all } = this.waiting;
        const items: Array<ListItem | QuickPickSeparator> = [
            ...section(
                nls.localize('theia/cli-companion/status/waitingReviews', 'Waiting proposals'),
                all.map(review => this.reviewItem(review))
            ),
            ...this.list.items()
        ];
        pick.placeholder =
            all.length > 0
                ? nls.localize(
                      'theia/cli-companion/status/pickReviews',
                      'Proposals: Enter opens, {0}+Enter accepts, {0}+Alt+Backspace rejects',
                      isOSX ? 'Cmd' : 'Ctrl'
                  )
                : nls.localize('theia/cli-companion/status/pick', 'Companion: CLIs, sharing and actions');
        const placeNow = (id: string | undefined): number => items.findIndex(item => isItem(item) && item.id === id);
        if (pick.items.some((item, index) => isItem(item) && item.buttons && placeNow(item.id) !== index)) {
            this.guard.restart();
        }
        const isRefreshed = pick.items.length > 0;
        pick.keepScrollPosition = true;
        pick.items = items;
        if (isRefreshed) {
            // If the highlighted row has ended, none is highlighted until the person moves there. Monaco would take the first one, and the keys
            // would answer that.
            pick.activeItems = items.filter(isItem).filter(({ id }) => id !== undefined && id === active);
        }
    }

    protected reviewItem(review: ReviewInfo): ReviewItem {
        const now = Date.now();
        const row = this.list.rows.review(review, now);
        return {
            ...this.list.item({ ...row, run: () => void this.waiting.open(review) }),
            review,
            ariaLabel: nls.localize(
                'theia/cli-companion/status/reviewItem',
                '{0}, proposed by {1}, {2}, {3}',
                row.label,
                review.cliName,
                describeAge(now - review.openedAt),
                this.list.paths.display(review.path)
            ),
            buttons: [
                {
                    iconClass: codicon('check'),
                    tooltip: CompanionCommands.ACCEPT_REVIEW.label,
                    run: () => void this.waiting.accept(review)
                },
                {
                    iconClass: codicon('circle-slash'),
                    tooltip: CompanionCommands.REJECT_REVIEW.label,
                    run: () => this.waiting.answer(review, 'reject')
                }
            ]
        };
    }
}

function isReviewItem(item: ListItem): item is ReviewItem {
    return 'review' in item;
}

function isItem(item: ListItem | QuickPickSeparator): item is ListItem {
    return item.type !== 'separator';
}
