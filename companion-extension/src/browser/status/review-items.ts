// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputButton, QuickPickItem } from '@theia/core/lib/common/quick-pick-service';
import { ReviewInfo } from '../../common/companion-protocol';
import type { ChangeCount } from '../review/count-changes';
import { describeAge, withoutIcons } from './item-text';

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

export interface ReviewItemOptions {
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

export function reviewItem({ review, elsewhere, count, now, open, accept, reject }: ReviewItemOptions): ReviewItem {
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
