// SPDX-License-Identifier: Apache-2.0

import { Emitter, Event } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import type { CliSession } from '../mcp/cli-session';
import type { Review } from '../review/review';
import type { ReviewEnd, Reviews } from '../review/reviews';

/** What is looked at of a server. */
interface FollowedServer {
    readonly sessions: { readonly onDidChangeSession: Event<Pick<CliSession, 'cliId' | 'gone'>> };
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

/** A proposal that waits for an answer. */
export interface OpenedReview extends ConnectedCli {
    /** Tells reviews apart, also after a restart. */
    readonly reviewId: string;
    /** Absolute path of the file. */
    readonly path: string;
}

/** A proposal that does not wait any more. */
export interface ClosedReview extends OpenedReview {
    /**
     * - `accepted`, `rejected`: the user answered in the IDE
     * - `closed`: the CLI closed the diff because the user answered in its terminal, or proposed something else, or no page could show it
     * - `orphaned`: the CLI ended, or its server
     */
    readonly outcome: 'accepted' | 'rejected' | 'closed' | 'orphaned';
    /** Whether the text that was on the right side at the end is not the one that the CLI proposed. */
    readonly edited: boolean;
}

export const CompanionEvents = Symbol('CompanionEvents');
/** What CLIs do, for products that count it, log it or react to it. Inject it in the backend. It never tells contents. */
export interface CompanionEvents {
    /** A CLI is connected, or responds again after it was gone. */
    readonly onDidConnect: Event<ConnectedCli>;
    /** A CLI has ended, or has not responded for some seconds. Each one follows an {@link onDidConnect}. */
    readonly onDidDisconnect: Event<ConnectedCli>;
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

    protected readonly onDidOpenReviewEmitter = new Emitter<OpenedReview>();
    readonly onDidOpenReview = this.onDidOpenReviewEmitter.event;

    protected readonly onDidCloseReviewEmitter = new Emitter<ClosedReview>();
    readonly onDidCloseReview = this.onDidCloseReviewEmitter.event;

    /** @param nameOf a CLI's name for people, by its id. Listens as long as the server runs: its emitters end with it. */
    follow({ sessions }: FollowedServer, windowId: string, nameOf: (cliId: string) => string): void {
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
    followReviews(reviews: Pick<Reviews, 'onDidOpen' | 'onDidEnd'>, nameOf: (cliId: string) => string): void {
        const describe = ({ id, file, owner, place: { windowId } }: Review): OpenedReview => {
            const cliId = owner?.cliId ?? '';
            return { reviewId: id, path: file.path, cliId, displayName: nameOf(cliId), windowId };
        };
        reviews.onDidOpen(review => this.onDidOpenReviewEmitter.fire(describe(review)));
        reviews.onDidEnd(({ review, state, text }: ReviewEnd) =>
            this.onDidCloseReviewEmitter.fire({
                ...describe(review),
                outcome: state === 'replaced' ? 'closed' : state,
                edited: text !== review.proposal
            })
        );
    }
}
