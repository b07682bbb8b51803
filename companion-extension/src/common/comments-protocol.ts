// SPDX-License-Identifier: Apache-2.0

export const commentsPath = '/services/companion/comments';

/** Bounds on comments. More is refused. */
export const CommentLimits = {
    /** That a window lists. */
    listed: 500,
    /** Of a user, in all workspaces: each is a file, which every list reads. */
    stored: 2_000,
    /** Characters of one. */
    text: 8_000,
    /** Characters of the lines that it is about. */
    quote: 2_000,
    /** Days on which a page may list a comment that is not sent. */
    days: 14
} as const;

/** Where a comment belongs. Lines are counted from 1. */
export interface CommentAnchor {
    readonly first: number;
    readonly last: number;
    /** Their text, cut to {@link CommentLimits.quote}. */
    readonly quote: string;
}

/** What a user writes about lines of a file. */
export interface CommentDraft extends CommentAnchor {
    /** A UUID, which the page makes. */
    readonly id: string;
    readonly uri: string;
    readonly text: string;
}

export interface Comment extends CommentDraft {
    /** It is in the prompt of a CLI. It goes with the next ones that are sent. */
    readonly isSent: boolean;
    /** Days until it goes, if it is not sent. */
    readonly daysLeft: number;
}

export const CommentsBackend = Symbol('CommentsBackend');
/** What a page calls about the comments of its workspace. All calls may be made twice. Refused before the window has said hello. */
export interface CommentsBackend {
    /**
     * @param isMoved only its lines are other ones: its text stays what was typed last, perhaps in another window
     * @returns when it is on disk. Rejects if it cannot be stored
     */
    saveComment(draft: CommentDraft, isMoved?: boolean): Promise<void>;
    discardComment(id: string): Promise<void>;
    /** Lists them, which begins their days. The oldest first. */
    listComments(): Promise<Comment[]>;
    /** Those that were sent before go. */
    markCommentsSent(ids: string[]): Promise<void>;
}

declare module './companion-protocol' {
    interface WindowState {
        /** Another number: {@link CommentsBackend.listComments} may have news. */
        comments?: number;
    }
}
