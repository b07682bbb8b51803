// SPDX-License-Identifier: Apache-2.0

import { ShowReviewResult } from '../../common/companion-protocol';

/** A review that comes to the front. */
interface Leader {
    opened: boolean;
    /** How many others wait to open behind it. */
    followers: number;
    /** Settles when it is on the screen, or is not going to be. @returns whether it opened */
    readonly settled: Promise<boolean>;
}

/** Of reviews that arrive at the same time, brings the first to the front, as soon as if it were alone, and opens the others behind it. */
export class ArrivingReviews {
    protected leader: Leader | undefined;

    /** @param painted resolves when the review is on the screen. It never rejects, and settles soon. */
    async arrive(open: (place: 'front' | 'behind') => Promise<ShowReviewResult>, painted: () => Promise<void>): Promise<ShowReviewResult> {
        const { leader } = this;
        if (leader && (!leader.opened || leader.followers > 0)) {
            leader.followers++;
            return (await leader.settled) ? open('behind') : this.arrive(open, painted);
        }
        const opening = open('front');
        this.leader = this.lead(opening, painted);
        return opening;
    }

    protected lead(opening: Promise<ShowReviewResult>, painted: () => Promise<void>): Leader {
        const settle = async (): Promise<boolean> => {
            const { shown } = await opening.catch(() => ({ shown: false }));
            leader.opened = true;
            if (shown) {
                await painted();
            }
            if (this.leader === leader) {
                this.leader = undefined;
            }
            return shown;
        };
        const leader: Leader = { opened: false, followers: 0, settled: settle() };
        return leader;
    }
}
