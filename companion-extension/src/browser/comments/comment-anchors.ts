// SPDX-License-Identifier: Apache-2.0

import { CommentAnchor, CommentLimits } from '../../common/comments-protocol';

/** Finds the lines of comments in texts that have changed since. */
export const CommentAnchors = {
    /** @param first counted from 1 */
    of(lines: readonly string[], first: number, last: number): CommentAnchor {
        const quote = lines
            .slice(first - 1, last)
            .join('\n')
            .slice(0, CommentLimits.quote);
        // Half of a character would come back from the backend as another one.
        return { first, last, quote: quote.replace(/[\uD800-\uDBFF]$/, '') };
    },

    /** @returns the lines with the quoted text that are nearest to where they were; `undefined` if there are none */
    find(lines: readonly string[], { first, last, quote }: CommentAnchor): CommentAnchor | undefined {
        const quoted = quote.split('\n');
        let found: CommentAnchor | undefined;
        lines.forEach((_, index) => {
            // Only of lines that may be it: a comment may be about a whole file, of which many lines begin as its first one.
            const mayBe = quoted.every((text, at) => lines[index + at]?.startsWith(text));
            const candidate = mayBe ? CommentAnchors.of(lines, index + 1, index + 1 + last - first) : undefined;
            if (candidate?.quote === quote && (!found || Math.abs(candidate.first - first) < Math.abs(found.first - first))) {
                found = candidate;
            }
        });
        return found;
    }
} as const;
