// SPDX-License-Identifier: Apache-2.0

import { createHash, randomUUID } from 'crypto';
import { resolve } from 'path';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { inject, injectable, optional } from '@theia/core/shared/inversify';
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
    readonly cliId: string;
    readonly proposal: string;
    readonly answeredInTerminal: boolean;
    readonly file: { readonly realPath: string };
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

/** What happened to a CLI. @since 0.1 */
export interface CliEvent {
    /**
     * - `connected`: a session of it has begun, or responds again after it was gone
     * - `disconnected`: it has ended, or has not responded for some seconds. Each one follows a `connected`
     * - `promptTyped`: the IDE typed something into its prompt, as the user asked. Of the keys that are pressed in its terminal nothing is known
     */
    readonly kind: 'connected' | 'disconnected' | 'promptTyped';
    /** `id` of its `SupportedCli`. */
    readonly cliId: string;
}

/** What happened to a proposal. Each kind at most once for each, and one of the ends always. @since 0.1 */
export interface ProposalEvent {
    /**
     * - `proposed`: before any page shows it
     * - `shown`: it was on the screen of a page, with the file beside it
     * - `edited`: it ends, and the text on its right side is not what the CLI had proposed. Just before the end
     * - `accepted`, `rejected`: an end; the user answered in the IDE
     * - `terminal`: an end; the user answered in the CLI's terminal. A CLI does not say how
     * - `closed`: an end; the CLI proposed something else, or no page could show it
     * - `orphaned`: an end; the CLI ended, or its server
     * - `acceptUndone`: what was accepted and written was taken back
     */
    readonly kind: 'proposed' | 'shown' | 'edited' | 'accepted' | 'rejected' | 'terminal' | 'closed' | 'orphaned' | 'acceptUndone';
    /** `id` of the `SupportedCli` that proposed it. */
    readonly cliId: string;
    /** Unique, also after a restart. */
    readonly reviewId: string;
    /** SHA-256 of the file's real path, in hex; or that path itself, if {@link CompanionEventOptions} asks for paths. */
    readonly file: string;
}

/** What the user answered to a file in the list of what agents changed. @since 0.1 */
export interface ChangeEvent {
    /**
     * - `kept`: taken for seen
     * - `undone`: taken back, also as a part of a turn
     * - `putBack`: what was undone is there again
     */
    readonly kind: 'kept' | 'undone' | 'putBack';
    /** The names of the agents that worked when it was changed, as the list shows them. */
    readonly agents: readonly string[];
    /** One change of the file; otherwise all of it. */
    readonly isPart: boolean;
    /** As that of a {@link ProposalEvent}. */
    readonly file: string;
}

/** What every {@link CompanionRecord} has. @since 0.1 */
export interface RecordStamp {
    /** Unique, also after a restart. */
    readonly id: string;
    /** When it happened, in UTC, as `2026-11-29T03:30:00.000Z`. */
    readonly at: string;
    /** The window of the CLI; of a change: the window whose user answered. */
    readonly windowId: string;
}

/** One thing that happened, once. It never has a text, and all of it is plain JSON. @since 0.1 */
export type CompanionRecord = RecordStamp & (CliEvent | ProposalEvent | ChangeEvent);

export const CompanionEventOptions = Symbol('CompanionEventOptions');
/** What a product wants to know. Bind it in the backend; without it there are no paths. @since 0.1 */
export interface CompanionEventOptions {
    /** Records name files by their paths. */
    readonly paths: boolean;
}

/** The files that a CLI may know of the editors. @since 0.1 */
export interface SharedFiles {
    /** `id` of its `SupportedCli`. */
    readonly cliId: string;
    /** `displayName` of its `SupportedCli`. */
    readonly displayName: string;
    /** The browser window that it is connected to. */
    readonly windowId: string;
    /** The most recently focused first. */
    readonly files: ReadonlyArray<{
        /** Absolute. */
        readonly path: string;
        /** Whether the CLI has the text that is selected in it. */
        readonly selection: boolean;
    }>;
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
/**
 * The events of CLIs, for products that count, log or react to them. Inject it in the backend. Nobody else gets them, and none has file contents.
 *
 * @since 0.1
 */
export interface CompanionEvents {
    /** Everything that belongs into a record of who did what. Who the person is, the platform knows. */
    readonly onDidRecord: Event<CompanionRecord>;
    /** A CLI gets other paths than before, or another one of them has a selection. */
    readonly onDidShareContext: Event<SharedFiles>;
    /** A program in a terminal works, waits, has finished, or has ended. */
    readonly onDidChangeAgentStatus: Event<ChangedAgent>;
}

/** Fires for the servers that it follows, and for features. */
@injectable()
export class ServerEvents implements CompanionEvents {
    @inject(CompanionEventOptions)
    @optional()
    protected readonly options: CompanionEventOptions = { paths: false };

    /** The program in a terminal does something else. */
    readonly changeAgentStatus = new Emitter<ChangedAgent>();
    protected readonly onDidRecordEmitter = new Emitter<CompanionRecord>();
    protected readonly onDidShareContextEmitter = new Emitter<SharedFiles>();

    readonly onDidRecord = this.onDidRecordEmitter.event;
    readonly onDidShareContext = this.onDidShareContextEmitter.event;
    readonly onDidChangeAgentStatus = this.changeAgentStatus.event;

    recordCli(windowId: string, event: CliEvent): void {
        this.onDidRecordEmitter.fire({ ...stamp(windowId), ...event });
    }

    recordReview({ id: reviewId, cliId, file, place }: FollowedReview, kind: ProposalEvent['kind']): void {
        this.onDidRecordEmitter.fire({ ...stamp(place.windowId), kind, cliId, reviewId, file: this.named(file.realPath) });
    }

    /** @param file its real path */
    recordChange(windowId: string, file: string, event: Omit<ChangeEvent, 'file'>): void {
        this.onDidRecordEmitter.fire({ ...stamp(windowId), ...event, file: this.named(file) });
    }

    /** Listens as long as the server runs: its emitters end with it. */
    follow({ onDidChangeSession }: FollowedSessions, windowId: string): void {
        const connected = new Set<FollowedSession>();
        onDidChangeSession(session => {
            const { cliId, gone } = session;
            if (gone && connected.delete(session)) {
                this.recordCli(windowId, { kind: 'disconnected', cliId });
            } else if (!gone && !connected.has(session)) {
                connected.add(session);
                this.recordCli(windowId, { kind: 'connected', cliId });
            }
        });
    }

    /** As {@link follow}. @param nameOf a CLI's name for people, by its id */
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

    /** Listens as long as the backend lives. */
    followReviews({ onDidOpen, onDidEnd }: FollowedReviews): void {
        onDidOpen(review => this.recordReview(review, 'proposed'));
        onDidEnd(({ review, state, text }) => {
            if (text !== review.proposal) {
                this.recordReview(review, 'edited');
            }
            this.recordReview(review, review.answeredInTerminal ? 'terminal' : state === 'replaced' ? 'closed' : state);
        });
    }

    protected named(path: string): string {
        // That of a folder may end with a slash.
        const file = resolve(path);
        return this.options.paths ? file : createHash('sha256').update(file).digest('hex');
    }
}

function stamp(windowId: string): RecordStamp {
    return { id: randomUUID(), at: new Date().toISOString(), windowId };
}
