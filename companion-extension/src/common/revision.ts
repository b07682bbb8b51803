// SPDX-License-Identifier: Apache-2.0

/** Names one text of a review: the load of the page that typed it, and its number there. */
export interface Revision {
    /** `loadId` of the page, a UUID; empty for {@link PROPOSAL}. */
    readonly page: string;
    /** Counted from 1. Grows with each text that the page sends, whatever review it is of. */
    readonly n: number;
}

/** The proposal itself, byte for byte as the CLI sent it. */
export const PROPOSAL: Revision = { page: '', n: 0 };

/** Consecutive revisions of one load of a page: each was typed on the one before. */
export interface RevisionRange {
    readonly page: string;
    readonly from: number;
    readonly to: number;
}

export function isSameRevision(one: Revision, other: Revision): boolean {
    return one.page === other.page && one.n === other.n;
}

export function coversRevision(ranges: readonly RevisionRange[], { page, n }: Revision): boolean {
    return ranges.some(range => range.page === page && range.from <= n && n <= range.to);
}

/** The id of the kept edit that this text of a review becomes: the same for every page and backend. */
export function editId(reviewId: string, { page, n }: Revision): string {
    return `${reviewId}-${page}-${n}`;
}
