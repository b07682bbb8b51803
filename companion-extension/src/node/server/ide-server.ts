// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { Disposable } from '@theia/core/lib/common/disposable';
import { ILogger } from '@theia/core/lib/common/logger';
import { CompanionLimits } from '../../common/companion-limits';
import { FileDiagnostics, ShowReviewResult } from '../../common/companion-protocol';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { withTimeLimit } from '../../common/time-limit';
import { FileAccessQueues } from '../host/file-access-queues';
import { ProcessTable } from '../host/process-table';
import { isInside } from '../host/workspace-roots';
import type { DiffHandler } from '../mcp/diff-tools';
import { HttpGate } from '../mcp/http-gate';
import { HttpListener, RefusalLog } from '../mcp/http-listener';
import { ListenerBudget } from '../mcp/listener-budget';
import type { CliSession } from '../mcp/cli-session';
import type { SessionTimings } from '../mcp/mcp-session';
import { McpSessions, SharedContext } from '../mcp/mcp-sessions';
import { isSameProcess, Review, ReviewOutcome, ReviewOwner, ReviewPlace } from '../review/review';
import { checkReviewPath, isOutside, ReviewPathResult } from '../review/review-path';
import { Reviews } from '../review/reviews';
import { LogWriter, ServerLog } from './server-log';

/** How the server introduces itself to MCP clients. A test keeps it equal to the package. */
export const SERVER_INFO = { name: 'theia-cli-companion', version: '0.1.0' } as const;

/** Shows a review in the window that it is for; `undefined` if no page answered in time. */
export interface ReviewPresenter {
    show(review: Review): Promise<ShowReviewResult | undefined>;
    /** Closes its diffs. @returns when what the pages had not sent yet has come */
    close(review: Review): Promise<void>;
}

export interface IdeServerOptions {
    readonly cliIds: readonly string[];
    readonly files: Pick<DiscoveryFiles, 'publish' | 'remove'>;
    /** Of the whole backend. */
    readonly reviews: Reviews;
    readonly presenter: ReviewPresenter;
    /** The problems that the page of the server's window shows; `undefined` if it does not answer in time. */
    readonly diagnostics: (uri: string | undefined) => Promise<readonly FileDiagnostics[] | undefined>;
    /** The server's window, now. */
    readonly place: () => ReviewPlace;
    /** What `companion.review.open` says now; with `never` the CLI asks in the terminal. */
    readonly reviewsOffered: () => boolean;
    /** What `companion.review.outsideWorkspace` says now. */
    readonly outsideWorkspace: () => 'notice' | 'refuse';
    readonly timings: SessionTimings;
    /** These are shared by all servers of a backend. */
    readonly budget: ListenerBudget;
    readonly tasks: FileAccessQueues;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly logger: ILogger;
    /** For the log of the server's window. */
    readonly log: LogWriter;
}

interface OpeningDiff {
    readonly owner: ReviewOwner;
    readonly filePath: string;
    readonly newContent: string;
}

/** How long the look at a proposal's path may take, in milliseconds: a network file system may never answer. */
const CHECK_LIMIT = 5_000;

/** The queue that checks proposals' paths that are in no root and on no remote mount. */
const OTHER_PROPOSALS = 'proposals outside the workspace';

/** How long the clean ends of streams may take when a server stops, in milliseconds. */
const STOP_GRACE = 200;

/**
 * What a CLI connects to: one per window. Port and tokens stay the same until it is stopped, because shells keep their
 * environment. Composes listener, sessions, reviews and discovery files.
 */
export class IdeServer implements DiffHandler {
    /** Diffs whose path is being checked. */
    protected readonly opening = new Set<OpeningDiff>();
    /** Absolute real paths that the CLIs can express. */
    roots: readonly string[] = [];
    /** Whether the last {@link publish} wrote every file. */
    isPublished = false;
    protected readonly log: ServerLog;
    protected readonly listening: Disposable;

    protected constructor(
        protected readonly options: IdeServerOptions,
        readonly port: number,
        protected readonly tokens: ReadonlyMap<string, string>,
        protected readonly listener: HttpListener,
        readonly sessions: McpSessions
    ) {
        this.log = new ServerLog(options.log);
        this.log.started(port);
        sessions.onDidChangeSession(session => {
            // The log numbers a session until it has ended: what happens to its reviews comes before.
            this.settleOwnership(session);
            this.log.session(session);
        });
        this.listening = this.reviews.onDidEnd(end => this.isOwn(end.review) && this.log.ended(end));
    }

    /** Starts to listen; nothing is published yet. Rejects if no port can be had. */
    static async start(options: IdeServerOptions): Promise<IdeServer> {
        const refusals = new RefusalLog({
            warn: async text => {
                options.log.add(text);
                await options.logger.warn(text);
            }
        });
        const listener = new HttpListener(refusals, options.budget);
        const port = await listener.listen();
        // 256 bits. One for each CLI: both send the same clientInfo, so the token tells which one a session is.
        const tokens = new Map(options.cliIds.map(id => [id, randomBytes(32).toString('base64url')]));
        const sessions: McpSessions = new McpSessions({
            port,
            serverInfo: SERVER_INFO,
            tools: async () => (options.reviewsOffered() ? (await import('../mcp/diff-tools')).diffTools(server) : []),
            timings: options.timings,
            hasOpenDiff: session => server.hasOpenDiff(session),
            processes: options.processes,
            refusals,
            logger: options.logger
        });
        const server: IdeServer = new IdeServer(options, port, tokens, listener, sessions);
        listener.serve(new HttpGate(port, tokens), (request, response, cliId) => sessions.serve(request, response, cliId));
        return server;
    }

    protected get reviews(): Reviews {
        return this.options.reviews;
    }

    protected isOwn({ place }: Review): boolean {
        return place.windowId === this.windowId;
    }

    protected get windowId(): string {
        return this.options.place().windowId;
    }

    /** Whether diffs are shown now. */
    get reviewsOffered(): boolean {
        return this.options.reviewsOffered();
    }

    /** A CLI that does not come by HTTP runs in this server's window. */
    join(session: CliSession): void {
        this.sessions.join(session);
    }

    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return (await this.options.diagnostics(uri)) ?? [];
    }

    /** The context that its sessions share. */
    get context(): SharedContext {
        return this.sessions.context;
    }

    /** @param roots absolute real paths that the CLIs can express */
    async publish(roots: readonly string[]): Promise<void> {
        this.roots = roots;
        this.context.openFolders(roots);
        this.isPublished = await this.options.files.publish({ port: this.port, roots, tokens: this.tokens });
        this.log.published(this.isPublished, roots);
    }

    async openDiff(
        owner: ReviewOwner,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        this.log.called(owner, 'openDiff', filePath, newContent.length);
        const problem = await this.openReview(owner, filePath, newContent, onDidOpen);
        if (problem !== undefined) {
            this.log.refused(owner, 'openDiff', problem);
        }
        return problem;
    }

    protected async openReview(
        owner: ReviewOwner,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        // What this session asked before ends before anything is waited for. Then also what other sessions of its process asked.
        this.supersede(owner, filePath);
        await this.processesKnown();
        this.supersede(owner, filePath);
        if (newContent.length > CompanionLimits.reviewText) {
            return `The proposal for ${filePath} is larger than ${CompanionLimits.reviewText} characters`;
        }
        const checked = await this.checkPath(owner, filePath, newContent);
        if (!checked) {
            return undefined;
        }
        if ('problem' in checked) {
            return checked.problem;
        }
        if (isOutside(checked.file.realPath, this.options.place().roots) && this.options.outsideWorkspace() === 'refuse') {
            return `${filePath} lies outside the workspace, and companion.review.outsideWorkspace refuses such files`;
        }
        if (!this.options.reviewsOffered()) {
            // The session is older than the preference. After an error Gemini would fail the later answer in the terminal.
            return undefined;
        }
        if (!this.sessions.all().some(({ id }) => id === owner.id)) {
            // The session closed while the file system answered: nothing would ever end the review.
            return undefined;
        }
        let review: Review;
        try {
            review = this.reviews.open({ owner, filePath, proposal: newContent, file: checked.file, place: this.options.place() });
        } catch (error) {
            return (error as Error).message;
        }
        onDidOpen?.(review.id);
        const shown = await this.options.presenter.show(review);
        if (shown && !shown.shown && review.isWaiting) {
            this.reviews.refuse(review);
            return shown.reason;
        }
        return undefined;
    }

    /** @returns `undefined` if this diff was closed, or another one asked for in its place, while the file system answered */
    protected async checkPath(owner: ReviewOwner, filePath: string, newContent: string): Promise<ReviewPathResult | undefined> {
        const attempt = { owner, filePath, newContent };
        this.opening.add(attempt);
        // Also in a root that cannot be listed for a CLI.
        const { roots } = this.options.place();
        const queue = this.options.tasks.queueOf(filePath, roots.find(root => isInside(root, filePath)) ?? OTHER_PROPOSALS);
        const check = (): Promise<ReviewPathResult> => checkReviewPath(filePath, roots);
        const checked = await this.options.tasks.run(queue, check, CHECK_LIMIT).catch(() => undefined);
        if (!this.opening.delete(attempt)) {
            return undefined;
        }
        return checked ?? { problem: `${filePath} cannot be reached: its file system does not answer` };
    }

    async closeDiff(owner: ReviewOwner, filePath: string, answered: boolean): Promise<string | undefined> {
        this.log.called(owner, 'closeDiff', filePath);
        const isOf = (asked: OpeningDiff | Review): boolean => asked.owner === owner && asked.filePath === filePath;
        // The CLI has its answer: none that is given from now on may follow.
        if (![...this.opening, ...this.reviews.waiting()].some(isOf)) {
            await this.processesKnown();
        }
        const attempt = this.takeOpening(owner, filePath);
        const text = await this.reviews.close(owner, this.windowId, filePath, answered, review => this.options.presenter.close(review));
        if (text === undefined && !attempt) {
            this.log.refused(owner, 'closeDiff', 'no such diff is open');
        }
        // The user may have been faster in the terminal than the check of the path.
        return text ?? attempt?.newContent;
    }

    /** A CLI finds an outcome by its path alone: a past or later answer to an earlier diff would answer the one that it asks for now. */
    protected supersede(owner: ReviewOwner, filePath: string): void {
        this.takeOpening(owner, filePath);
        this.forgetOutcomes(owner, filePath);
        this.reviews.replace(owner, this.windowId, filePath);
    }

    protected takeOpening(owner: ReviewOwner, filePath: string): OpeningDiff | undefined {
        const found = [...this.opening].find(attempt => attempt.filePath === filePath && isSameProcess(attempt.owner, owner));
        if (found) {
            this.opening.delete(found);
        }
        return found;
    }

    protected hasOpenDiff(session: CliSession): boolean {
        const opening = [...this.opening].some(({ owner }) => owner.id === session.id);
        return opening || this.reviews.waitingFor(session, this.windowId).length > 0;
    }

    /** A session's process is looked for while its stream opens; until it is known, its diffs would count as another CLI's. */
    protected async processesKnown(): Promise<void> {
        await withTimeLimit(this.sessions.identified, CHECK_LIMIT, '').catch(() => undefined);
    }

    protected forgetOutcomes(owner: ReviewOwner, filePath: string): void {
        this.sessions
            .all()
            .filter(session => isSameProcess(session, owner))
            .forEach(session => session.forgetOutcomes(filePath));
    }

    /**
     * A CLI that was told to reconnect (`/ide enable`) has a new session and still waits for the outcome that its old one asked
     * for (Gemini CLI 0.61).
     */
    protected settleOwnership(changed: CliSession): void {
        // Its process may have become known just now.
        this.reviews.closeSuperseded(changed, this.windowId);
        this.reviews.waitingFor(changed, this.windowId).forEach(({ filePath }) => this.forgetOutcomes(changed, filePath));
        for (const session of new Set([changed, ...this.sessions.all()])) {
            const successor = session.state === 'streaming' ? undefined : this.sessions.successorOf(session);
            if (successor) {
                this.reviews.handOver(session, successor);
                // Also those that may have arrived: the CLI finds them by their path, and a second one changes nothing.
                this.deliver(session, outcome => successor.notify(outcome));
            } else if (session.state === 'closed') {
                this.reviews.orphan(({ owner }) => owner === session);
                this.deliver(session, () => false);
            }
        }
    }

    /** @param deliver returns false if an outcome can reach nobody any more */
    protected deliver(session: CliSession, deliver: (outcome: ReviewOutcome) => boolean): void {
        for (const outcome of session.takeUndelivered()) {
            if (!deliver(outcome)) {
                this.reviews.undelivered(outcome.reviewId);
            }
        }
    }

    /** Removes the files first, so that no CLI finds a server that is going. */
    async stop(): Promise<void> {
        await this.options.files.remove(this.port);
        const closed = this.listener.close(STOP_GRACE);
        await this.sessions.close();
        this.reviews.orphan(review => this.isOwn(review));
        this.listening.dispose();
        await closed;
        this.log.stopped(this.port);
    }
}
