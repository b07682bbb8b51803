// SPDX-License-Identifier: Apache-2.0

/** A part of a pattern that has no wildcard. */
export interface Block<Items> {
    readonly length: number;
    /** True if the items from there on fit, one by one. There are enough. */
    fitsAt(items: Items, start: number): boolean;
}

/**
 * A pattern of items with wildcards, each for any number of items: of characters in a name, or of names in a path. A wildcard takes as few items as it
 * can, so what is before it is never tried again: the time is linear in the pattern's length times the number of items. A regular expression
 * tries all ways, which are exponentially many.
 */
export class WildcardSequence<Items extends { readonly length: number }> {
    protected readonly first: Block<Items>;
    protected readonly middle: ReadonlyArray<Block<Items>>;
    /** `undefined` if there is no wildcard. */
    protected readonly last: Block<Items> | undefined;

    /** @param blocks a wildcard is between each two of them; at least one */
    constructor(blocks: ReadonlyArray<Block<Items>>) {
        this.first = blocks[0];
        this.middle = blocks.slice(1, -1);
        this.last = blocks.length > 1 ? blocks[blocks.length - 1] : undefined;
    }

    matches(items: Items): boolean {
        const start = this.startOfLast(items);
        if (start === undefined || this.last === undefined) {
            return start === items.length;
        }
        const at = items.length - this.last.length;
        return at >= start && this.last.fitsAt(items, at);
    }

    /** The lengths of all beginnings of the items that match. */
    matchedLengths(items: Items): readonly number[] {
        const start = this.startOfLast(items);
        if (start === undefined || this.last === undefined) {
            return start === undefined ? [] : [start];
        }
        const lengths: number[] = [];
        for (let at = start; at + this.last.length <= items.length; at++) {
            if (this.last.fitsAt(items, at)) {
                lengths.push(at + this.last.length);
            }
        }
        return lengths;
    }

    /** The first place where the last block may begin; without a wildcard, where the match ends. `undefined` if nothing can match. */
    protected startOfLast(items: Items): number | undefined {
        if (this.first.length > items.length || !this.first.fitsAt(items, 0)) {
            return undefined;
        }
        let at = this.first.length;
        for (const block of this.middle) {
            while (at + block.length <= items.length && !block.fitsAt(items, at)) {
                at++;
            }
            at += block.length;
            if (at > items.length) {
                return undefined;
            }
        }
        return at;
    }
}
