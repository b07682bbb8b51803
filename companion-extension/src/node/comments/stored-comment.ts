// SPDX-License-Identifier: Apache-2.0

import { CommentDraft, CommentLimits } from '../../common/comments-protocol';
import { CompanionLimits } from '../../common/companion-limits';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A comment as it is on disk. Its URI is that of the real path. */
export interface StoredComment extends CommentDraft {
    /** Real paths of the roots of the window that it was written in. */
    readonly roots: readonly string[];
    /** The id of that window: without roots, no other one lists it. */
    readonly windowId: string;
    /** In milliseconds since the epoch. */
    readonly writtenAt: number;
    /** Days on which a page has listed it. */
    readonly days: number;
    /** The last of these days, as `2026-11-26`; empty if there is none. */
    readonly lastDay: string;
    readonly isSent: boolean;
}

/** Pages and files say what they like. */
export function isDraft(value: unknown): value is CommentDraft {
    const { id, uri, text, quote, first, last } = Object(value) as Record<string, unknown>;
    const isText = (field: unknown, most: number): boolean => typeof field === 'string' && field.length <= most;
    return (
        isCommentId(id) &&
        isText(uri, CompanionLimits.uri) &&
        String(uri).startsWith('file:') &&
        isText(text, CommentLimits.text) &&
        isText(quote, CommentLimits.quote) &&
        [first, last].every(line => Number.isSafeInteger(line)) &&
        (first as number) >= 1 &&
        (last as number) >= (first as number)
    );
}

export function isStored(value: unknown): value is StoredComment {
    const { roots, windowId, writtenAt, days, lastDay, isSent } = Object(value) as Record<string, unknown>;
    return (
        isDraft(value) &&
        Array.isArray(roots) &&
        roots.every(root => typeof root === 'string') &&
        [writtenAt, days].every(number => Number.isFinite(number)) &&
        [windowId, lastDay].every(text => typeof text === 'string') &&
        typeof isSent === 'boolean'
    );
}

/** Ids become names of files. */
export function isCommentId(value: unknown): value is string {
    return typeof value === 'string' && ID.test(value);
}
