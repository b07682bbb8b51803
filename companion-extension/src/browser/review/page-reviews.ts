// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { DraftRef, KeptDraft, ReviewInfo } from '../../common/companion-protocol';

/**
 * What this page does with a review that waits. Without an entry, it is new.
 * - `opening`: its first editor is being opened, or could not be opened
 * - `shown`: it has an editor
 * - `closed`: it has none, because the user closed the last one (`companion.review.onTabClose` = `keep`)
 */
export type ReviewView = 'opening' | 'shown' | 'closed';

/**
 * The reviews of this page: the backend's last state, with what the backend said since, and how each is shown. It only keeps the books: it
 * opens no editor and sends no answer. The backend's messages come in order, so what it said last holds.
 */
export class PageReviews {
    protected readonly listed = new Map<string, ReviewInfo>();
    protected readonly views = new Map<string, ReviewView>();

    /** @param isAnswered whether the user has answered it here, and the backend has not confirmed that */
    constructor(protected readonly isAnswered: (id: string) => boolean) {}

    /**
     * The backend says which reviews wait here.
     *
     * @returns the ids of those whose editors are to be closed without an answer: they are decided, or another window shows them
     */
    receive(reviews: readonly ReviewInfo[]): string[] {
        const ids = new Set(reviews.map(({ id }) => id));
        this.listed.clear();
        reviews.forEach(review => this.listed.set(review.id, review));
        const over = [...this.views.keys()].filter(id => !ids.has(id) && !this.isAnswered(id));
        const close = over.filter(id => this.views.get(id) !== 'closed');
        over.forEach(id => this.views.delete(id));
        return close;
    }

    /** The backend asks the page to show it. */
    asked(review: ReviewInfo): void {
        this.listed.set(review.id, review);
    }

    /** The backend says that it has ended. */
    ended(id: string): void {
        this.listed.delete(id);
        this.views.delete(id);
    }

    /** @param drafts those that the backend has now, the newest last */
    drafted(id: string, drafts: readonly DraftRef[]): void {
        const review = this.listed.get(id);
        if (review) {
            this.listed.set(id, { ...review, drafts: [...drafts] });
        }
    }

    infoOf(id: string): ReviewInfo | undefined {
        return this.listed.get(id);
    }

    /** Those that wait for the user, the oldest first. */
    get waiting(): ReviewInfo[] {
        return [...this.listed.values()].filter(({ id }) => this.isWaiting(id)).sort((one, other) => one.openedAt - other.openedAt);
    }

    /** Those that the page has not tried to open yet. */
    get fresh(): ReviewInfo[] {
        return this.waiting.filter(({ id }) => !this.views.has(id));
    }

    isWaiting(id: string): boolean {
        return this.listed.has(id) && !this.isAnswered(id);
    }

    /** @returns `false` if it is decided */
    opens(id: string): boolean {
        if (this.isWaiting(id) && this.views.get(id) !== 'shown') {
            this.views.set(id, 'opening');
        }
        return this.isWaiting(id);
    }

    /** It could not be opened, and the page is to try it again by itself. */
    opensAgain(id: string): void {
        this.views.delete(id);
    }

    /** An editor shows it: we opened it, or the layout restored it. */
    opened(id: string): void {
        this.views.set(id, 'shown');
    }

    /** The last editor was closed. @returns whether the user closed it while the review waited */
    closed(id: string): boolean {
        const wasShown = this.views.get(id) === 'shown' && this.isWaiting(id);
        if (this.views.get(id) === 'shown') {
            this.views.set(id, 'closed');
        }
        return wasShown;
    }

    /** Ids of the reviews whose last editor the user closed. */
    get closedIds(): string[] {
        return [...this.views].filter(([id, view]) => view === 'closed' && this.isWaiting(id)).map(([id]) => id);
    }

    /** The user closed these before the page was loaded. */
    keepClosed(ids: readonly string[]): void {
        ids.forEach(id => this.views.set(id, 'closed'));
    }
}

/** The outbox's key of the answer to a review. */
export function answerKey(reviewId: string): string {
    return `answer ${reviewId}`;
}

/** Left side of a diff: the file on disk, read-only. */
export const ORIGINAL_SCHEME = 'companion-original';
/** Right side of a review's diff: the proposal. */
export const PROPOSED_SCHEME = 'companion-proposed';
/** Right side of a diff with the file: what the user typed into a proposal that ended without it. */
export const EDITED_SCHEME = 'companion-edited';

function encode(scheme: string, { id, uri }: Pick<ReviewInfo, 'id' | 'uri'>): URI {
    return new URI().withScheme(scheme).withAuthority(id).withPath(new URI(uri).path);
}

/**
 * `scheme://<id of the review or draft>/<absolute path>`. The authority makes each proposal a document of its own. The path gives language,
 * icon and title. Ids have no upper-case letters, because URIs write the authority in lower case.
 */
export const ReviewUris = {
    /** The file beside a proposal or a kept draft. */
    original(shown: Pick<ReviewInfo, 'id' | 'uri'>): URI {
        return encode(ORIGINAL_SCHEME, shown);
    },

    fileOf(original: URI): URI {
        return new URI().withScheme('file').withPath(original.path);
    },

    proposed(review: Pick<ReviewInfo, 'id' | 'uri'>): URI {
        return encode(PROPOSED_SCHEME, review);
    },

    /** With another URI if the text has become another: what shows the older one stays as it is. */
    edited(draft: Pick<KeptDraft, 'id' | 'uri' | 'revision'>): URI {
        return encode(EDITED_SCHEME, draft).withQuery(String(draft.revision));
    },

    /** The draft that the URI belongs to; `undefined` for any other URI. */
    draftOf(uri: URI): DraftRef | undefined {
        return uri.scheme === EDITED_SCHEME ? { id: uri.authority, revision: Number(uri.query) } : undefined;
    },

    /** The id of the review whose proposal has this URI; `undefined` for any other URI. */
    reviewIdOf(uri: URI | undefined): string | undefined {
        return uri?.scheme === PROPOSED_SCHEME && uri.authority ? uri.authority : undefined;
    }
} as const;
