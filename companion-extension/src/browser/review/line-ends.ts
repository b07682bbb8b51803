// SPDX-License-Identifier: Apache-2.0

import { diffLines } from '../../common/diff/line-hunks';

const LINE_END = /\r\n|\r|\n/;

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
            for (let offset = 0; offset < modified.length; offset++) {
                origins.push(offset < original.length ? from + offset : undefined);
            }
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
