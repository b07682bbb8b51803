// SPDX-License-Identifier: Apache-2.0

import { CommentAnchor, CommentLimits } from '../../common/comments-protocol';

/** Finds the lines of comments in texts that have changed since. */
export const CommentAnchors = {
    /** @param first counted from 1 */
    of(lines: readonly string[], first: number, last: number): CommentAnchor {
        return {
            first,
            last,
            quote: lines
                .slice(first - 1, last)
                .join('\n')
                .slice(0, CommentLimits.quote)
        };
    },

    /** @returns the lines with the quoted text that are nearest to where they were; `undefined` if there are none */
    find(lines: readonly string[], { first, last, quote }: CommentAnchor): CommentAnchor | undefined {
        const [start] = quote.split('\n', 1);
        let found: CommentAnchor | undefined;
        lines.forEach((line, index) => {
            // Only of lines that may be it: a text may have many.
            const candidate = line.startsWith(start) ? CommentAnchors.of(lines, index + 1, index + 1 + last - first) : undefined;
            if (candidate?.quote === quote && (!found || Math.abs(candidate.first - first) < Math.abs(found.first - first))) {
                found = candidate;
            }
        });
        return found;
    }
} as const;
