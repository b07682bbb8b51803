// SPDX-License-Identifier: Apache-2.0

import { setTimeout as wait } from 'timers/promises';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import type { CliSession } from '../mcp/cli-session';
import type { SentContext } from '../mcp/mcp-sessions';
import { WRITE_TIME } from '../../common/companion-limits';
import { TextMark, type FileLooks, type Review } from '../review/review';
import type { ReviewEnd, Reviews } from '../review/reviews';

/** What is looked at of a server. */
interface FollowedServer {
    readonly sessions: { readonly onDidChangeSession: Event<Pick<CliSession, 'cliId' | 'gone'>> };
    readonly context: { readonly onDidSend: Event<SentContext> };
}

/** A CLI that is connected: one session of it. {@link CompanionEvents} gives the same object when it connects and when it is gone. */
export interface ConnectedCli {
    /** `id` of its `SupportedCli`. */
    readonly cliId: string;
    /** `displayName` of its `SupportedCli`. */
    readonly displayName: string;
    /** The browser window that it is connected to. */
    readonly windowId: string;
}

/** What a CLI may know of the editors. */
export interface SharedFiles extends ConnectedCli {
    /** The most recently focused first. */
    readonly files: ReadonlyArray<{
        /** Absolute. */
        readonly path: string;
        /** Whether the CLI has the text that is selected in it. */
        readonly selection: boolean;
    }>;
}

/** A proposal that waits for an answer. */
export interface OpenedReview extends ConnectedCli {
    /** Unique, also after a restart. */
    readonly reviewId: string;
    /** Absolute path of the file. */
    readonly path: string;
}

/** A proposal that no longer waits. */
export interface ClosedReview extends OpenedReview {
    /**
     * - `accepted`, `rejected`: the user answered
     * - `closed`: the CLI proposed something else, or no page could show it
     * - `orphaned`: the CLI ended, or its server
     */
    readonly outcome: 'accepted' | 'rejected' | 'closed' | 'orphaned';
    /**
     * Where the user answered; absent if nobody did. A CLI does not report what was answered in its terminal: `accepted` if the file has the
     * proposal, or the right side of the diff, within 30 s.
     */
    readonly answeredIn?: 'ide' | 'terminal';
    /** Whether the text that was on the right side at the end is not the one that the CLI proposed. */
    readonly edited: boolean;
}

export const CompanionEvents = Symbol('CompanionEvents');
/** What CLIs do, for products that count it, log it or react to it. Inject it in the backend. It never contains file contents. */
export interface CompanionEvents {
    /** A CLI is connected, or responds again after it was gone. */
    readonly onDidConnect: Event<ConnectedCli>;
    /** A CLI has ended, or has not responded for some seconds. Each one follows an {@link onDidConnect}. */
    readonly onDidDisconnect: Event<ConnectedCli>;
    /** A CLI gets other paths than before, or another one of them has a selection. */
    readonly onDidShareContext: Event<SharedFiles>;
    /** A CLI proposes a text for a file, before any page shows it. */
    readonly onDidOpenReview: Event<OpenedReview>;
    /** Each one follows an {@link onDidOpenReview}. */
    readonly onDidCloseReview: Event<ClosedReview>;
}

/** Fires for the servers that it follows. */
@injectable()
export class ServerEvents implements CompanionEvents {
    protected readonly onDidConnectEmitter = new Emitter<ConnectedCli>();
    readonly onDidConnect = this.onDidConnectEmitter.event;

    protected readonly onDidDisconnectEmitter = new Emitter<ConnectedCli>();
    readonly onDidDisconnect = this.onDidDisconnectEmitter.event;

    protected readonly onDidShareContextEmitter = new Emitter<SharedFiles>();
    readonly onDidShareContext = this.onDidShareContextEmitter.event;

    protected readonly onDidOpenReviewEmitter = new Emitter<OpenedReview>();
    readonly onDidOpenReview = this.onDidOpenReviewEmitter.event;

    protected readonly onDidCloseReviewEmitter = new Emitter<ClosedReview>();
    readonly onDidCloseReview = this.onDidCloseReviewEmitter.event;

    /** Until a file that a CLI may write is looked at again, in milliseconds, and until it is not expected to be written any more. */
    protected readonly looks: { readonly every: number; readonly until: number } = { every: 500, until: WRITE_TIME };

    /** @param nameOf a CLI's name for people, by its id. Listens as long as the server runs: its emitters end with it. */
    follow({ sessions, context }: FollowedServer, windowId: string, nameOf: (cliId: string) => string): void {
        const shared = new WeakMap<object, string>();
        context.onDidSend(({ session, context: { workspaceState } }) => {
            const files = (workspaceState?.openFiles ?? []).map(({ path, selectedText }) => ({ path, selection: Boolean(selectedText) }));
            const before = shared.get(session) ?? '[]';
            shared.set(session, JSON.stringify(files));
            if (before !== shared.get(session)) {
                const { cliId } = session;
                this.onDidShareContextEmitter.fire({ cliId, displayName: nameOf(cliId), windowId, files });
            }
        });
        const connected = new Map<object, ConnectedCli>();
        sessions.onDidChangeSession(session => {
            const cli = connected.get(session);
            if (!session.gone && !cli) {
                const { cliId } = session;
                const begun = { cliId, displayName: nameOf(cliId), windowId };
                connected.set(session, begun);
                this.onDidConnectEmitter.fire(begun);
            } else if (session.gone && cli) {
                connected.delete(session);
                this.onDidDisconnectEmitter.fire(cli);
            }
        });
    }

    /** Listens as long as the backend lives. */
    followReviews(reviews: Pick<Reviews, 'onDidOpen' | 'onDidEnd'>, nameOf: (cliId: string) => string, files: FileLooks): void {
        const describe = ({ id, file, owner, place: { windowId } }: Review): OpenedReview => {
            const cliId = owner?.cliId ?? '';
            return { reviewId: id, path: file.path, cliId, displayName: nameOf(cliId), windowId };
        };
        reviews.onDidOpen(review => this.onDidOpenReviewEmitter.fire(describe(review)));
        reviews.onDidEnd(({ review, state, text }: ReviewEnd) => {
            const closed = (answer: Pick<ClosedReview, 'outcome' | 'answeredIn'>): ClosedReview => ({ ...opened, ...answer, edited });
            const opened = describe(review);
            const edited = text !== review.proposal;
            if (review.answeredInTerminal) {
                const texts = [new TextMark(review.proposal), new TextMark(text)];
                void this.isWritten(files, review.file.path, texts).then(written =>
                    this.onDidCloseReviewEmitter.fire(closed({ outcome: written ? 'accepted' : 'rejected', answeredIn: 'terminal' }))
                );
            } else {
                const outcome = state === 'replaced' ? 'closed' : state;
                const isAnswer = outcome === 'accepted' || outcome === 'rejected';
                this.onDidCloseReviewEmitter.fire(closed({ outcome, ...(isAnswer ? { answeredIn: 'ide' } : {}) }));
            }
        });
    }

    /** Whether a CLI writes one of these texts. */
    protected async isWritten(files: FileLooks, file: string, texts: readonly TextMark[]): Promise<boolean> {
        const end = Date.now() + this.looks.until;
        for (;;) {
            const now = await files.look(file);
            if (texts.some(text => now?.is(text))) {
                return true;
            }
            if (Date.now() >= end) {
                return false;
            }
            await wait(this.looks.every, undefined, { ref: false });
        }
    }
}
