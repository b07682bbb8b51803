// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import {
    CompanionPage,
    FileDiagnostics,
    ReviewInfo,
    ReviewSave,
    ShownText,
    ShowReviewResult,
    WindowState
} from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { ConnectedPage } from '../server/connected-page';

/** The load of a page that {@link saveOf} and {@link typed} name. */
export const LOAD_ID = '11111111-2222-4333-8444-555555555555';

/**
 * What a user typed.
 *
 * @param text absent if every edit was undone
 * @param base what it was typed on; the proposal if it is left out
 */
export function saveOf(reviewId: string, text: string | undefined, n = 1, page = LOAD_ID, base = [PROPOSAL]): ReviewSave {
    return {
        about: { reviewId, uri: 'file:///unknown', cliName: 'CLI' },
        revision: { page, n },
        base: base.map(revision => ({ page: revision.page, from: revision.n, to: revision.n })),
        ...(text !== undefined && { text })
    };
}

/** The same as it is seen by a page whose backend may not have it. */
export function typed(text: string, n = 1, page = LOAD_ID): ShownText {
    return { revision: { page, n }, text };
}

/** A page as the backend sees it. */
export class TestPage implements CompanionPage {
    readonly loadId = randomUUID();
    readonly shown: ReviewInfo[] = [];
    /** The ids of reviews that have an editor. */
    readonly open = new Set<string>();
    /** The text that came with each of them. */
    readonly texts: Array<string | undefined> = [];
    state: WindowState | undefined;
    /** A page that is gone while its connection lingers answers nothing. */
    answers = true;
    /** What it has not sent yet when it must close a diff. */
    unsent: ReviewSave | undefined;
    /** Why it cannot show a diff. */
    refusal: string | undefined;
    diagnostics: FileDiagnostics[] = [];
    /** URIs of files with edits that are not saved. */
    readonly unsaved = new Set<string>();
    /** How often it was asked for them. */
    asked = 0;
    contextRequests = 0;
    /** Whether its calls end with an error. */
    fails = false;

    private readonly late: Array<() => void> = [];

    connection(): ConnectedPage {
        return new ConnectedPage(this.loadId, this);
    }

    /** Answers all that it has left unanswered. */
    answerLate(): void {
        this.answers = true;
        this.late.splice(0).forEach(answer => answer());
    }

    ping(): Promise<string> {
        return this.reply(this.loadId);
    }

    readUnsaved(uris: string[]): Promise<string[]> {
        return this.reply(uris.filter(uri => this.unsaved.has(uri)));
    }

    readDiagnostics(): Promise<FileDiagnostics[]> {
        this.asked++;
        return this.reply(this.diagnostics);
    }

    showReview(review: ReviewInfo, text?: string): Promise<ShowReviewResult> {
        this.shown.push(review);
        this.texts.push(text);
        this.open.add(review.id);
        return this.reply(this.refusal === undefined ? { shown: true } : { shown: false, reason: this.refusal });
    }

    closeReview(): Promise<ReviewSave | undefined> {
        return this.reply(this.unsent);
    }

    showsReview(id: string): Promise<boolean> {
        return this.reply(this.open.has(id));
    }

    notifyState(state: WindowState): void | Promise<void> {
        this.state = state;
        return this.fails ? Promise.reject(new Error('Max disconnected buffer size exceeded')) : undefined;
    }

    requestContext(): void {
        this.contextRequests++;
    }

    private reply<T>(value: T): Promise<T> {
        if (this.fails) {
            return Promise.reject(new Error('The page failed'));
        }
        return this.answers ? Promise.resolve(value) : new Promise(resolve => this.late.push(() => resolve(value)));
    }
}
