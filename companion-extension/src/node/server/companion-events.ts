// SPDX-License-Identifier: Apache-2.0

import { Emitter, Event } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import { AgentKind, AgentState, IdeContext } from '../../common/companion-protocol';

/** A session of a CLI, as far as it is followed. */
interface FollowedSession {
    readonly cliId: string;
    readonly gone: boolean;
}

interface SentContext {
    readonly session: Pick<FollowedSession, 'cliId'>;
    readonly context: IdeContext;
}

/** A review, as far as it is followed. */
interface FollowedReview {
    readonly id: string;
    readonly proposal: string;
    readonly answeredInTerminal: boolean;
    readonly file: { readonly path: string };
    readonly owner?: FollowedSession | undefined;
    readonly place: { readonly windowId: string };
}

interface FollowedReviews {
    readonly onDidOpen: Event<FollowedReview>;
    readonly onDidEnd: Event<{
        readonly review: FollowedReview;
        readonly state: 'accepted' | 'rejected' | 'closed' | 'replaced' | 'orphaned';
        readonly text: string;
    }>;
}

/** The sessions of a server. */
interface FollowedSessions {
    readonly onDidChangeSession: Event<FollowedSession>;
}

/** What the sessions of a server share. */
interface FollowedContext {
    readonly onDidSend: Event<SentContext>;
}

/**
 * A CLI that is connected: one session of it. {@link CompanionEvents} gives the same object when it connects and when it is gone.
 *
 * @since 0.1
 */
export interface ConnectedCli {
    /** `id` of its `SupportedCli`. */
    readonly cliId: string;
    /** `displayName` of its `SupportedCli`. */
    readonly displayName: string;
    /** The browser window that it is connected to. */
    readonly windowId: string;
}

/** The files that a CLI may know of the editors. @since 0.1 */
export interface SharedFiles extends ConnectedCli {
    /** The most recently focused first. */
    readonly files: ReadonlyArray<{
        /** Absolute. */
        readonly path: string;
        /** Whether the CLI has the text that is selected in it. */
        readonly selection: boolean;
    }>;
}

/** A proposal that waits for an answer. @since 0.1 */
export interface OpenedReview extends ConnectedCli {
    /** Unique, also after a restart. */
    readonly reviewId: string;
    /** Absolute path of the file. */
    readonly path: string;
}

/** A proposal that no longer waits. @since 0.1 */
export interface ClosedReview extends OpenedReview {
    /**
     * - `accepted`, `rejected`: the user answered in the IDE
     * - `terminal`: the user answered in the CLI's terminal. A CLI does not say how
     * - `closed`: the CLI proposed something else, or no page could show it
     * - `orphaned`: the CLI ended, or its server
     */
    readonly outcome: 'accepted' | 'rejected' | 'terminal' | 'closed' | 'orphaned';
    /** Whether the text that was on the right side at the end is not the one that the CLI proposed. */
    readonly edited: boolean;
}

/** A new state of the program in a terminal of this backend. It need not be a CLI that is connected. @since 0.1 */
export interface ChangedAgent {
    /** Process id of the terminal's shell. */
    readonly shell: number;
    /** `id` of its `SupportedCli`; absent for other programs, and once it has ended. */
    readonly cliId?: string;
    /** `ended`: no program is known there any more. */
    readonly state: AgentState | 'ended';
    /** Set if it is blocked and says what it asks for. */
    readonly kind?: AgentKind;
}

export const CompanionEvents = Symbol('CompanionEvents');
/** The events of CLIs, for products that count, log or react to them. Inject it in the backend. It never contains file contents. @since 0.1 */
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
    /** A program in a terminal works, waits, has finished, or has ended. */
    readonly onDidChangeAgentStatus: Event<ChangedAgent>;
}

/** Fires for the servers that it follows, and for features. */
@injectable()
export class ServerEvents implements CompanionEvents {
    /** The program in a terminal does something else. */
    readonly changeAgentStatus = new Emitter<ChangedAgent>();
    protected readonly onDidOpenReviewEmitter = new Emitter<OpenedReview>();
    protected readonly onDidCloseReviewEmitter = new Emitter<ClosedReview>();
    protected readonly onDidConnectEmitter = new Emitter<ConnectedCli>();
    protected readonly onDidDisconnectEmitter = new Emitter<ConnectedCli>();
    protected readonly onDidShareContextEmitter = new Emitter<SharedFiles>();

    readonly onDidConnect = this.onDidConnectEmitter.event;
    readonly onDidDisconnect = this.onDidDisconnectEmitter.event;
    readonly onDidShareContext = this.onDidShareContextEmitter.event;
    readonly onDidOpenReview = this.onDidOpenReviewEmitter.event;
    readonly onDidCloseReview = this.onDidCloseReviewEmitter.event;
    readonly onDidChangeAgentStatus = this.changeAgentStatus.event;

    /** Listens as long as the server runs: its emitters end with it. @param nameOf a CLI's name for people, by its id */
    follow({ onDidChangeSession }: FollowedSessions, windowId: string, nameOf: (cliId: string) => string): void {
        const describe = ({ cliId }: FollowedSession): ConnectedCli => ({ cliId, displayName: nameOf(cliId), windowId });
        const connected = new Map<object, ConnectedCli>();
        onDidChangeSession(session => {
            const cli = connected.get(session);
            if (!session.gone && !cli) {
                const begun = describe(session);
                connected.set(session, begun);
                this.onDidConnectEmitter.fire(begun);
            } else if (session.gone && cli) {
                connected.delete(session);
                this.onDidDisconnectEmitter.fire(cli);
            }
        });
    }

    /** As {@link follow}. */
    followContext({ onDidSend }: FollowedContext, windowId: string, nameOf: (cliId: string) => string): void {
        const shared = new WeakMap<object, string>();
        onDidSend(({ session, context: { workspaceState } }) => {
            const files = (workspaceState?.openFiles ?? []).map(({ path, selectedText }) => ({ path, selection: Boolean(selectedText) }));
            const { cliId } = session;
            const before = shared.get(session) ?? '[]';
            shared.set(session, JSON.stringify(files));
            if (before !== shared.get(session)) {
                this.onDidShareContextEmitter.fire({ cliId, displayName: nameOf(cliId), windowId, files });
            }
        });
    }

    /** Listens as long as the backend lives. @param nameOf a CLI's name for people, by its id */
    followReviews({ onDidOpen, onDidEnd }: FollowedReviews, nameOf: (cliId: string) => string): void {
        const describe = ({ id, file, owner, place: { windowId } }: FollowedReview): OpenedReview => {
            const cliId = owner?.cliId ?? '';
            return { reviewId: id, path: file.path, cliId, displayName: nameOf(cliId), windowId };
        };
        onDidOpen(review => this.onDidOpenReviewEmitter.fire(describe(review)));
        onDidEnd(({ review, state, text }) => {
            const outcome = review.answeredInTerminal ? 'terminal' : state === 'replaced' ? 'closed' : state;
            this.onDidCloseReviewEmitter.fire({ ...describe(review), outcome, edited: text !== review.proposal });
        });
    }
}
