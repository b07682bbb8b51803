// SPDX-License-Identifier: Apache-2.0

import { codicon, codiconArray } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { isOSX } from '@theia/core/lib/common/os';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService, QuickPick, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { CompanionCommands } from '../companion-commands';
import { ReviewEditors } from '../review/review-editors';
import { ReviewFocus, ReviewList } from '../review/review-focus';
import { ReviewUris } from '../review/review-uris';
import { WaitingReviews } from '../review/waiting-reviews';
import { CompanionConnection } from '../window/companion-connection';
import { fileName, shortPaths } from '../window/display-path';
import { ChangeCount } from '../review/change-count';
import { ChangeCounts, OpenTexts, ReviewTexts } from './change-counts';
import { StatusList } from './status-list';
import { ListItem, RowButton } from './status-row';
import { describeAge } from './status-text';

/** A waiting review in the quick pick. */
export interface ReviewItem extends ListItem {
    review: ReviewInfo;
    buttons: RowButton[];
}

interface ReviewItemOptions {
    review: ReviewInfo;
    /** As the user is to read it. */
    path: string;
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
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(StatusList)
    protected readonly list: StatusList;

    protected pick: QuickPick<ListItem> | undefined;
    protected readonly onDidRequestRefreshEmitter = new Emitter<void>();
    protected readonly counts = new ChangeCounts({ open: review => this.openTexts(review), read: review => this.readTexts(review) });

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
        const refresh = (): void => this.fill(pick);
        toDispose.pushAll([
            this.onDidRequestRefreshEmitter.event(refresh),
            pick.onDidTriggerItemButton(({ item, button }) => {
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
        refresh();
        pick.show();
        this.focus.setList(this);
        const isOpen = (): boolean => this.pick === pick;
        let counted = 0;
        const count = this.counts.count(this.all, () => {
            counted++;
            // After 1, 2, 4, … of them: each time, the whole list is drawn.
            if (isOpen() && (counted & (counted - 1)) === 0) {
                refresh();
            }
            return isOpen();
        });
        void count.then(() => isOpen() && counted > 0 && refresh());
        void this.list.findTerminals().then(() => this.refresh());
    }

    /** Shows what is new, if the list is open. */
    refresh(): void {
        this.onDidRequestRefreshEmitter.fire();
    }

    hide(): void {
        this.pick?.hide();
    }

    protected get all(): readonly ReviewInfo[] {
        return [...this.waiting.here, ...this.waiting.elsewhere];
    }

    protected openTexts(review: ReviewInfo): OpenTexts | undefined {
        const proposal = this.editors.modelOf(review.id)?.textEditorModel;
        const original = this.models.get(ReviewUris.original(review).toString())?.textEditorModel;
        return (
            proposal &&
            original && {
                version: `${original.getAlternativeVersionId()} ${proposal.getAlternativeVersionId()} ${original.id}`,
                length: original.getValueLength() + proposal.getValueLength(),
                texts: () => ({ original: original.getValue(), proposal: proposal.getValue() })
            }
        );
    }

    protected async readTexts({ id, uri, modifiedAt }: ReviewInfo): Promise<ReviewTexts | undefined> {
        const [original, proposal] = await Promise.all([
            modifiedAt === undefined ? '' : this.files.read(new URI(uri), { acceptTextOnly: true }).then(({ value }) => value),
            this.backend.readReview(id)
        ]);
        return proposal && { original, proposal: proposal.text };
    }

    protected fill(pick: QuickPick<ListItem>): void {
        const active = pick.activeItems[0]?.id;
        const { here, elsewhere } = this.waiting;
        const items: Array<ListItem | QuickPickSeparator> = [
            ...this.section(nls.localize('theia/cli-companion/status/waitingReviews', 'Waiting proposals'), here, false),
            ...this.section(
                nls.localize('theia/cli-companion/status/waitingElsewhere', 'Waiting proposals in other windows'),
                elsewhere,
                true
            ),
            ...this.list.items()
        ];
        pick.placeholder =
            this.all.length > 0
                ? nls.localize(
                      'theia/cli-companion/status/pickReviews',
                      'Proposals: Enter opens, {0}+Enter accepts, {0}+Alt+Backspace rejects',
                      isOSX ? 'Cmd' : 'Ctrl'
                  )
                : nls.localize('theia/cli-companion/status/pick', 'Companion: CLIs, sharing and actions');
        pick.keepScrollPosition = true;
        pick.items = items;
        const stays = items.filter(isItem).find(({ id }) => id !== undefined && id === active);
        if (stays) {
            pick.activeItems = [stays];
        }
    }

    protected section(label: string, reviews: readonly ReviewInfo[], elsewhere: boolean): Array<ListItem | QuickPickSeparator> {
        if (reviews.length === 0) {
            return [];
        }
        const paths = shortPaths(reviews.map(({ path }) => this.list.paths.display(path)));
        return [
            { type: 'separator', label },
            ...reviews.map((review, index) =>
                reviewItem({
                    review,
                    path: paths[index],
                    elsewhere,
                    count: this.counts.of(review.id),
                    now: Date.now(),
                    open: () => void this.waiting.open(review),
                    accept: () => void this.waiting.accept(review),
                    reject: () => void this.waiting.reject(review)
                })
            )
        ];
    }
}

function isReviewItem(item: ListItem): item is ReviewItem {
    return 'review' in item;
}

function isItem(item: ListItem | QuickPickSeparator): item is ListItem {
    return item.type !== 'separator';
}

function reviewItem({ review, path, elsewhere, count, now, open, accept, reject }: ReviewItemOptions): ReviewItem {
    const name = fileName(review.path);
    const where = elsewhere ? [nls.localize('theia/cli-companion/status/elsewhere', 'in another window: shows it here')] : [];
    const showHere: RowButton[] = elsewhere
        ? [{ iconClass: codicon('arrow-down'), tooltip: nls.localize('theia/cli-companion/status/showHere', 'Show Here'), run: open }]
        : [];
    return {
        id: review.id,
        review,
        iconClasses: codiconArray('git-compare'),
        label: withoutIcons(count ? `${name}  +${count.added} −${count.removed}` : name),
        description: withoutIcons([review.cliName, ...where].join(' · ')),
        detail: withoutIcons(`${path} · ${describeAge(now - review.openedAt)}`),
        ariaLabel: [
            nls.localize(
                'theia/cli-companion/status/reviewItem',
                '{0}, proposed by {1}, {2}, {3}',
                name,
                review.cliName,
                describeAge(now - review.openedAt),
                path
            ),
            ...(count ? [countsText(count)] : []),
            ...where
        ].join(', '),
        execute: open,
        buttons: [
            ...showHere,
            { iconClass: codicon('check'), tooltip: CompanionCommands.ACCEPT_REVIEW.label, run: accept },
            { iconClass: codicon('circle-slash'), tooltip: CompanionCommands.REJECT_REVIEW.label, run: reject }
        ]
    };
}

function countsText({ added, removed }: ChangeCount): string {
    return added === 1
        ? nls.localize('theia/cli-companion/status/countsOne', '1 line added, {0} removed', removed)
        : nls.localize('theia/cli-companion/status/counts', '{0} lines added, {1} removed', added, removed);
}
