// SPDX-License-Identifier: Apache-2.0

import { diffLines } from '../../common/diff/line-hunks';

const LINE_END = /\r\n|\r|\n/;
/** Of a change of more lines, some may get the end of a removed one. */
const COMPARED_LINES = 100;

/**
 * The line ends of a proposal. An editor has only one kind: it makes all of them alike, and a line end of a lone CR. After an edit each line gets
 * its own again.
 */
export class LineEnds {
    /** An editor keeps them by itself. */
    protected readonly isUniform: boolean;
    /** How many lines may have got another line end than they had: the texts differ too much to be compared in time. */
    uncertain = 0;

    constructor(protected readonly proposal: string) {
        const isMixed = proposal.includes('\r\n') && /(^|[^\r])\n/.test(proposal);
        this.isUniform = !isMixed && !/\r(?!\n)/.test(proposal);
    }

    /** @param edited the proposal as an editor has it, after edits. @returns it with its line ends; new lines have that of the line before */
    restore(edited: string): string {
        this.uncertain = 0;
        if (this.isUniform) {
            return edited;
        }
        const before = this.proposal.split(LINE_END);
        const ends = this.proposal.match(new RegExp(LINE_END, 'g')) ?? [];
        const lines = edited.split(LINE_END);
        const { changes, hitTimeout } = diffLines(before, lines);
        /** The line of the proposal that each line was. */
        const origins: Array<number | undefined> = [];
        let next = 0;
        for (const { original, modified } of changes) {
            const [from, to] = [original.startLineNumber - 1, modified.startLineNumber - 1];
            while (origins.length < to) {
                origins.push(next++);
            }
            origins.push(...originsOf(before.slice(from, from + original.length), lines.slice(to, to + modified.length), from));
            next = from + original.length;
            this.uncertain += hitTimeout ? modified.length : 0;
        }
        const first = ends[0];
        let last = first;
        return lines
            .map((line, index) => {
                const origin = origins.length > index ? origins[index] : next++;
                last = (origin === undefined ? undefined : ends[origin]) ?? last;
                return index === lines.length - 1 ? line : line + last;
            })
            .join('');
    }
}

/**
 * @param before lines that were changed, and perhaps some that were removed
 * @param after what stands in their place
 * @param from the index of the first one
 * @returns for each of `after` the index of the line that it was
 */
function originsOf(before: readonly string[], after: readonly string[], from: number): Array<number | undefined> {
    let spare = before.length - after.length;
    let next = 0;
    return after.map(line => {
        if (spare > 0 && before.length <= COMPARED_LINES) {
            const candidates = before.slice(next, next + spare + 1).map(candidate => likeness(candidate, line));
            const skipped = candidates.indexOf(Math.max(...candidates));
            spare -= skipped;
            next += skipped;
        }
        return next < before.length ? from + next++ : undefined;
    });
}

/** How many characters they share at their beginnings and ends. */
function likeness(one: string, other: string): number {
    const length = Math.min(one.length, other.length);
    let start = 0;
    while (start < length && one[start] === other[start]) {
        start++;
    }
    let end = 0;
    while (end < length - start && one[one.length - 1 - end] === other[other.length - 1 - end]) {
        end++;
    }
    return start + end;
}
