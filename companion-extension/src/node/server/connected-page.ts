// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { CompanionPage, FileDiagnostics, ReviewInfo, ReviewSave, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { afterLimit, withTimeLimit } from '../../common/time-limit';
import type { PagePayloads } from '../../common/page-payloads';

/** How long a page may take to answer. */
const PAGE_LIMITS_MS = { alive: 3_000, ping: 1_000, show: 2_000, close: 1_000, diagnostics: 400, unsaved: 1_000 } as const;
/** How long changes are gathered before they are sent to a page. */
const GATHER_MS = 30;

/** The connection of a page in the other direction: calls the page, which may die at any time, so every call has an end. */
export class ConnectedPage {
    /** The connection is gone. */
    closed = false;

    /**
     * It has left a call unanswered, and nothing has come from it since. The connection of a tab that died stays open as long as
     * Theia's `frontendConnectionTimeout` says, which may be forever.
     */
    silent = false;
    protected readonly onDidChangeSilenceEmitter = new Emitter<void>();
    readonly onDidChangeSilence = this.onDidChangeSilenceEmitter.event;
    /** The content of the state that it was sent, if it has learnt nothing since in another way. */
    protected lastSent: string | undefined;
    /** The number of the newest state that it was sent. */
    newestState = -1;
    protected telling: NodeJS.Timeout | undefined;

    /** Loaded with the first page: zod would double what the companion adds to the backend's start. */
    static async payloads(): Promise<typeof PagePayloads> {
        return (await import('../../common/page-payloads')).PagePayloads;
    }

    constructor(
        readonly loadId: string,
        protected readonly page: CompanionPage
    ) {}

    /** Something came from it. */
    markHeard(): void {
        this.setSilent(false);
    }

    /** @returns whether this page is there. On a busy machine one that is behind another tab took more than a second. */
    async isAlive(): Promise<boolean> {
        return (await this.ask(PAGE_LIMITS_MS.alive, this.page.ping())) === this.loadId;
    }

    /**
     * @param text sent along if it is short
     * @returns `undefined` if no answer came, or one that makes no sense
     */
    async show(review: ReviewInfo, text?: string): Promise<ShowReviewResult | undefined> {
        this.lastSent = undefined;
        const answer = await this.ask(PAGE_LIMITS_MS.show, this.page.showReview(review, text));
        return (await ConnectedPage.payloads()).showResult.safeParse(answer).data;
    }

    /** @returns what it had not sent yet; `undefined` if there is nothing, no answer came, or one that makes no sense */
    async close(reviewId: string): Promise<ReviewSave | undefined> {
        const answer = await this.ask(PAGE_LIMITS_MS.close, this.page.closeReview(reviewId));
        return (await ConnectedPage.payloads()).save.safeParse(answer).data;
    }

    /** Whether it shows the review, also if no answer came: it may. */
    async mayShow(reviewId: string): Promise<boolean> {
        return (await this.ask(PAGE_LIMITS_MS.ping, this.page.showsReview(reviewId))) !== false;
    }

    /** @returns `undefined` if no answer came in time, or one that makes no sense. A page that is only busy does not count as silent. */
    async readDiagnostics(uri: string | undefined): Promise<FileDiagnostics[] | undefined> {
        const answer = await withTimeLimit(this.page.readDiagnostics(uri), PAGE_LIMITS_MS.diagnostics).catch(() => undefined);
        return (await ConnectedPage.payloads()).diagnostics.safeParse(answer).data;
    }

    /** @returns those of the files that an editor has edits of which are not saved; `undefined` if no answer came in time */
    async readUnsaved(uris: readonly string[]): Promise<string[] | undefined> {
        const answer = await withTimeLimit(this.page.readUnsaved([...uris]), PAGE_LIMITS_MS.unsaved).catch(() => undefined);
        return (await ConnectedPage.payloads()).uris.safeParse(answer).data;
    }

    /** It gets the state as the answer to one of its calls. */
    noteAnswer({ sequence }: WindowState): void {
        this.newestState = sequence;
        this.lastSent = undefined;
    }

    /** Sends a state for all changes of a moment: each of twenty proposals would disturb the page that opens the first. */
    tellSoon(describe: () => WindowState | undefined): void {
        this.telling ??= setTimeout(() => {
            this.telling = undefined;
            const state = describe();
            if (state) {
                this.tell(state);
            }
        }, GATHER_MS).unref();
    }

    /** Sends the state if it differs from what was sent last. */
    tell(state: WindowState): void {
        const { sequence, ...content } = state;
        const key = JSON.stringify(content);
        if (key !== this.lastSent) {
            this.lastSent = key;
            this.newestState = sequence;
            this.send(() => this.page.notifyState(state));
        }
    }

    requestContext(): void {
        this.send(() => this.page.requestContext());
    }

    /** Theia's proxy answers with a promise all the same. It rejects if the socket is down and its buffer is full. */
    protected send(call: () => unknown): void {
        Promise.resolve(call()).catch(() => undefined);
    }

    /** @returns `undefined` if the page does not answer in time, or the call fails */
    protected async ask<T>(limit: number, call: Promise<T>): Promise<T | undefined> {
        let waiting = Disposable.NULL;
        const overdue = new Promise<undefined>(resolve => {
            waiting = afterLimit(limit, () => {
                this.setSilent(true);
                resolve(undefined);
            });
        });
        // Also if it comes late: the page was only busy.
        call.then(
            () => this.markHeard(),
            () => undefined
        );
        try {
            return await Promise.race([call, overdue]);
        } catch {
            return undefined;
        } finally {
            waiting.dispose();
        }
    }

    protected setSilent(silent: boolean): void {
        if (this.silent !== silent) {
            this.silent = silent;
            this.onDidChangeSilenceEmitter.fire();
        }
    }
}
