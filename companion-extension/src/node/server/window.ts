// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { Disposable } from '@theia/core/lib/common/disposable';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { CompanionLimits } from '../../common/companion-limits';
import { BackendPreferences } from '../../common/companion-preferences';
import { FileDiagnostics, IdeContext, ShowReviewResult, WindowSnapshot, withoutSelection } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { ServerPlace } from '../discovery/supported-cli';
import { FileAccess } from '../host/file-access';
import { isSameProcess, ProcessTable } from '../host/process-table';
import { WorkspaceRoots } from '../host/workspace-roots';
import { isInside } from '../host/paths';
import type { CliSession, SessionWindow } from '../mcp/cli-session';
import { GatedApplication } from '../http/gated-application';
import { HttpGate, MCP_PATH } from '../http/http-gate';
import { HttpListener } from '../http/http-listener';
import { RefusalLog } from '../http/refusal-log';
import { ListenerBudget } from '../http/listener-budget';
import type { SessionTimings } from '../mcp/mcp-session';
import { McpSessions } from '../mcp/mcp-sessions';
import { Review, ReviewOutcome, ReviewOwner, ReviewPlace } from '../review/review';
import { checkReviewPath, isOutside, ReviewPathResult } from '../review/review-path';
import { Reviews } from '../review/reviews';
import { ConnectedPage } from './connected-page';
import { WindowLog } from './window-log';

/** How the server introduces itself to MCP clients. A test keeps it equal to the package. */
export const SERVER_INFO = { name: 'theia-cli-companion', version: '0.1.0' } as const;

/** How long an owner may be without a page before another window serves its server: a reload takes less. */
export const OWNER_ABSENCE_MS = 10_000;

/** How long the look at a proposal's path may take: a network file system may never answer. */
const CHECK_LIMIT_MS = 5_000;

/** How long the clean ends of streams may take when a server stops. */
const STOP_GRACE_MS = 200;

/** The place of proposals' paths that are in no root. */
const OTHER_PROPOSALS = 'proposals outside the workspace';

/** Shows a review in the windows that it is for. */
export interface ReviewPresenter {
    /** @returns `undefined` if no page answered in time */
    show(review: Review): Promise<ShowReviewResult | undefined>;
    /** Closes its diffs. @returns when what the pages had not sent yet has come */
    close(review: Review): Promise<void>;
}

/** The services that all windows of a backend share. */
export interface WindowServices {
    /** The CLIs that connect to a window's own server. */
    readonly cliIds: () => readonly string[];
    readonly files: Pick<DiscoveryFiles, 'publish' | 'remove'>;
    readonly reviews: Reviews;
    readonly presenter: ReviewPresenter;
    readonly onDidChangeSession: (session: CliSession) => void;
    /** The problems that the page of the window shows; `undefined` if it does not answer in time. */
    readonly diagnostics: (window: Window, uri: string | undefined) => Promise<readonly FileDiagnostics[] | undefined>;
    /** Until its page has said what the user prefers. */
    readonly preferences: BackendPreferences;
    readonly timings: SessionTimings;
    readonly budget: ListenerBudget;
    readonly fileAccess: FileAccess;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly logger: ILogger;
}

/** The server of a window. Port and tokens stay until it stops, because shells keep their environment. */
export interface WindowServer extends ServerPlace {
    /** Keyed by the CLIs' ids. */
    readonly tokens: ReadonlyMap<string, string>;
    readonly listener: HttpListener;
    readonly sessions: McpSessions;
    roots: readonly string[];
    /** Whether the last {@link Window.publish} wrote every file. */
    isPublished: boolean;
    /** Follows the reviews. */
    readonly listening: Disposable;
}

interface OpeningDiff {
    readonly owner: ReviewOwner;
    readonly filePath: string;
    readonly newContent: string;
}

/**
 * A browser window as the backend knows it, and its IDE server while the companion is on in it. It outlives its page's reloads and the
 * connections of each.
 */
export class Window implements SessionWindow {
    /** The last word of its page. A task that waits its turn uses this, and not what was true when it was queued. */
    snapshot: WindowSnapshot | undefined;
    /** When it last had the focus, as `performance.now` counts. */
    focusedAt = 0;
    /** When its last page went, as `performance.now` counts; `undefined` while it has one. */
    protected awaySince: number | undefined = performance.now();
    /** When its server last had a session, or it last had a page; as `performance.now` counts, since the clock may be set. */
    lastNeeded = performance.now();
    /** `undefined` while it serves no CLI. */
    server: WindowServer | undefined;
    /** The id of the window whose context its server got last. */
    contextSource: string | undefined;
    /** The log of its servers and their CLIs, and of other windows with the roots that it had first. */
    log = new WindowLog();
    /** Until its server, which could not be started, is tried again. */
    retry: NodeJS.Timeout | undefined;
    /** The end of its server waits for its turn. */
    ending = false;

    page: ConnectedPage | undefined;
    /** Process ids of the shells in the terminals of its page. */
    shells: ReadonlySet<number> = new Set();
    /** The roots of its page, by all their names. */
    workspace = new WorkspaceRoots();
    /** The editors as its page described them last, while these roots are open. */
    context: IdeContext | undefined;
    protected contextSequence = -1;
    protected pending: Promise<unknown> = Promise.resolve();
    /** Diffs whose path is being checked. */
    protected readonly opening = new Set<OpeningDiff>();

    constructor(
        readonly id: string,
        protected readonly services: WindowServices
    ) {}

    /** Which load of the page has it. */
    get loadId(): string {
        return this.page?.loadId ?? '';
    }

    /** Real paths of all roots. */
    get roots(): readonly string[] {
        return this.workspace.real;
    }

    /** Its roots by all their names. */
    get folders(): string[] {
        return this.workspace.folders;
    }

    get place(): ReviewPlace {
        return { windowId: this.id, roots: this.roots };
    }

    /** The files that were last shared with its CLIs. */
    get toldFiles(): string[] {
        return this.context?.workspaceState?.openFiles?.map(({ path: file }) => file) ?? [];
    }

    /** The root that a file lies in, by the name that its page has for it. @param file absolute */
    rootOf(file: string): string | undefined {
        return this.snapshot?.roots.map(uri => FileUri.fsPath(uri)).find(root => isInside(root, file));
    }

    /** As its page said of the folders that are open now. */
    get isTrusted(): boolean {
        return this.context?.workspaceState?.isTrusted === true;
    }

    /** As its page said last: another window's user, or product, may prefer something else. */
    get preferences(): BackendPreferences {
        return this.snapshot?.preferences ?? this.services.preferences;
    }

    /** `companion.enabled` in it: switched off, it serves no CLI, not even another window's. */
    get enabled(): boolean {
        return this.snapshot?.enabled ?? true;
    }

    /** Whether it shows diffs now. If not, a CLI asks in the terminal. */
    get reviewsOffered(): boolean {
        return this.snapshot?.reviewOpen !== 'never';
    }

    /** Whether it has a page now. */
    get live(): boolean {
        return this.page !== undefined;
    }

    /** Whether its page does not answer: the tab died, and its connection lingers. */
    get silent(): boolean {
        return this.page?.silent ?? false;
    }

    /** Whether it has been without a page for longer than a reload takes. */
    get absent(): boolean {
        return this.awaySince !== undefined && performance.now() - this.awaySince >= OWNER_ABSENCE_MS;
    }

    /** The sessions of its CLIs. */
    get sessions(): readonly CliSession[] {
        return this.server?.sessions.all() ?? [];
    }

    hasRoots(roots: readonly string[]): boolean {
        return this.workspace.isSame(roots);
    }

    attach(page: ConnectedPage): void {
        if (this.page?.loadId !== page.loadId) {
            // Sequence numbers restart with each load of the page.
            this.contextSequence = -1;
        }
        this.page = page;
        this.awaySince = undefined;
    }

    /** @returns false if a newer connection has taken over already */
    detach(page: ConnectedPage): boolean {
        if (this.page !== page) {
            return false;
        }
        this.page = undefined;
        this.awaySince = performance.now();
        this.lastNeeded = performance.now();
        return true;
    }

    /** Finds the roots that its page said last. */
    followRoots(): Promise<WorkspaceRoots> {
        return this.workspace.follow(this.snapshot?.roots ?? [], this.services.fileAccess);
    }

    /** Forgets the context of other folders: the page sends it again after each hello. */
    openFolders(workspace: WorkspaceRoots): void {
        if (workspace.real.length !== this.roots.length || !workspace.real.every(root => this.roots.includes(root))) {
            this.context = undefined;
        }
        this.workspace = workspace;
    }

    /** @returns false if a newer context is known already */
    takeContext(sequence: number, context: IdeContext): boolean {
        if (sequence <= this.contextSequence) {
            return false;
        }
        this.contextSequence = sequence;
        this.context = context;
        return true;
    }

    /** Its page has gone, and nothing would withdraw what was selected there. */
    forgetSelection(): void {
        this.context &&= withoutSelection(this.context);
    }

    /** Starting, publishing and stopping happen one after the other, in the order in which they were asked for. */
    enqueue<T>(task: () => Promise<T>): Promise<T> {
        const result = this.pending.then(task, task);
        this.pending = result.catch(() => undefined);
        return result;
    }

    // --- its server

    /** Starts to listen; nothing is published yet. Rejects if no port can be had. */
    async start(): Promise<WindowServer> {
        const { services, log } = this;
        const refusals = new RefusalLog({
            warn: async text => {
                log.add(text);
                await services.logger.warn(text);
            }
        });
        const listener = new HttpListener(refusals, services.budget);
        const port = await listener.listen();
        // 256 bits. One for each CLI: both send the same clientInfo, so the token tells which one a session is.
        const tokens = new Map(services.cliIds().map(id => [id, randomBytes(32).toString('base64url')]));
        const sessions = new McpSessions({
            port,
            make: async (_request, cliId, onInitialised) => {
                // Most backends serve no CLI at first: the MCP SDK would be a third of what the companion adds to their start.
                const [{ McpSession }, { diffTools }] = await Promise.all([import('../mcp/mcp-session'), import('../mcp/diff-tools')]);
                // Those of now: a session keeps its tools.
                const tools = this.reviewsOffered ? diffTools(this) : [];
                return new McpSession(cliId, SERVER_INFO, async () => tools, services.timings, onInitialised);
            },
            hasOpenDiff: session => this.hasOpenDiff(session),
            processes: services.processes,
            refusals
        });
        sessions.onDidChangeSession(session => {
            // The log numbers a session until it has ended: what happens to its reviews comes before.
            this.settleOwnership(session, sessions);
            log.addState(session);
            services.onDidChangeSession(session);
        });
        listener.serve(new HttpGate(port, tokens), new GatedApplication(services.logger, MCP_PATH, sessions.routes));
        const listening = this.reviews.onDidEnd(({ review: { owner, filePath, place }, state }) => {
            if (owner && place.windowId === this.id) {
                log.add(`diff ${visibleText(filePath)} ${state}`, owner);
            }
        });
        this.server = { port, tokens, listener, sessions, listening, roots: [], isPublished: false };
        log.add(`Serves this window on 127.0.0.1:${port}`);
        return this.server;
    }

    /** @param roots absolute real paths */
    async publish(roots: readonly string[]): Promise<void> {
        const { server } = this;
        if (server) {
            server.roots = roots;
            server.sessions.context.openFolders(roots);
            const { port, tokens } = server;
            server.isPublished = await this.services.files.publish({ port, roots, tokens });
            const folders = roots.length > 0 ? roots.map(visibleText).join(', ') : 'no folder';
            const what = server.isPublished ? 'Discovery files are published' : 'Not every discovery file could be published';
            this.log.add(`${what} for ${folders}`);
        }
    }

    /** Removes the files first, so that no CLI finds a server that is going. */
    async stop(): Promise<void> {
        const { server } = this;
        this.server = undefined;
        if (server) {
            await this.services.files.remove(server.port);
            const closed = server.listener.retire(STOP_GRACE_MS);
            await server.sessions.close();
            this.reviews.orphan(({ place }) => place.windowId === this.id, 'stopped');
            server.listening.dispose();
            await closed;
            this.log.add(`Serves this window no longer on 127.0.0.1:${server.port}`);
        }
    }

    /** A CLI that does not come by HTTP runs in this window. */
    join(session: CliSession): void {
        this.server?.sessions.join(session);
    }

    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return (await this.services.diagnostics(this, uri)) ?? [];
    }

    async openDiff(
        owner: ReviewOwner,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        this.log.add(`openDiff ${visibleText(filePath)} (${newContent.length} characters)`, owner);
        const problem = await this.openReview(owner, filePath, newContent, onDidOpen);
        if (problem !== undefined) {
            this.log.add(`openDiff refused: ${visibleText(problem)}`, owner);
        }
        return problem;
    }

    /** @returns why it cannot be shown; `undefined` also if there is nothing to show any more, or reviews are not offered */
    protected async openReview(
        owner: ReviewOwner,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        // What this session asked before ends before anything is waited for. Then also what other sessions of its process asked.
        this.supersede(owner, filePath);
        await this.waitForProcesses();
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
        const refusesOutside = this.preferences['companion.review.outsideWorkspace'] === 'refuse';
        if (refusesOutside && isOutside(checked.file.realPath, this.roots)) {
            return `${filePath} lies outside the workspace, and companion.review.outsideWorkspace refuses such files`;
        }
        if (!this.reviewsOffered) {
            // The session is older than the preference. After an error Gemini would fail the later answer in the terminal.
            return undefined;
        }
        if (!this.sessions.some(({ id }) => id === owner.id)) {
            // The session closed while the file system answered: nothing would ever end the review.
            return undefined;
        }
        let review: Review;
        try {
            review = this.reviews.open({ owner, filePath, proposal: newContent, file: checked.file, place: this.place });
        } catch (error) {
            return (error as Error).message;
        }
        onDidOpen?.(review.id);
        const shown = await this.services.presenter.show(review);
        if (shown && !shown.shown && review.isWaiting) {
            this.reviews.refuse(review);
            return shown.reason;
        }
        return undefined;
    }

    async closeDiff(owner: ReviewOwner, filePath: string, answered: boolean): Promise<string | undefined> {
        this.log.add(`closeDiff ${visibleText(filePath)}`, owner);
        const isOf = (asked: OpeningDiff | Review): boolean => asked.owner === owner && asked.filePath === filePath;
        // The CLI has its answer: none that is given from now on may follow.
        if (![...this.opening, ...this.reviews.waiting()].some(isOf)) {
            await this.waitForProcesses();
        }
        const attempt = this.takeOpening(owner, filePath);
        const text = await this.reviews.close(owner, this.id, filePath, answered, review => this.services.presenter.close(review));
        if (text === undefined && !attempt) {
            this.log.add('closeDiff refused: no such diff is open', owner);
        }
        // The user may have been faster in the terminal than the check of the path.
        return text ?? attempt?.newContent;
    }

    /** @returns `undefined` if this diff was closed, or another one asked for in its place, while the file system answered */
    protected async checkPath(owner: ReviewOwner, filePath: string, newContent: string): Promise<ReviewPathResult | undefined> {
        const attempt = { owner, filePath, newContent };
        this.opening.add(attempt);
        const { roots } = this;
        const { fileAccess } = this.services;
        const place = roots.find(root => isInside(root, filePath)) ?? OTHER_PROPOSALS;
        const checked = await fileAccess.run(place, () => checkReviewPath(filePath, roots), CHECK_LIMIT_MS).catch(() => undefined);
        if (!this.opening.delete(attempt)) {
            return undefined;
        }
        return checked ?? { problem: `${filePath} cannot be reached: its file system does not answer` };
    }

    /** A CLI finds an outcome by its path alone: a past or later answer to an earlier diff would answer the one that it asks for now. */
    protected supersede(owner: ReviewOwner, filePath: string): void {
        this.takeOpening(owner, filePath);
        this.forgetOutcomes(owner, filePath);
        this.reviews.replace(owner, this.id, filePath);
    }

    protected takeOpening(owner: ReviewOwner, filePath: string): OpeningDiff | undefined {
        const found = [...this.opening].find(attempt => attempt.filePath === filePath && isSameProcess(attempt.owner, owner));
        if (found) {
            this.opening.delete(found);
        }
        return found;
    }

    protected hasOpenDiff(session: CliSession): boolean {
        const isOpening = [...this.opening].some(({ owner }) => owner.id === session.id);
        return isOpening || this.reviews.waitingFor(session, this.id).length > 0;
    }

    /** A session's process is looked for while its stream opens; until it is known, its diffs would count as another CLI's. */
    protected async waitForProcesses(): Promise<void> {
        const identified = this.server?.sessions.identified ?? Promise.resolve();
        await withTimeLimit(identified, CHECK_LIMIT_MS).catch(() => undefined);
    }

    protected forgetOutcomes(owner: ReviewOwner, filePath: string): void {
        this.sessions.filter(session => isSameProcess(session, owner)).forEach(session => session.forgetOutcomes(filePath));
    }

    /**
     * A CLI that was told to reconnect (`/ide enable`) has a new session and still waits for the outcome that its old one asked
     * for (Gemini CLI 0.61).
     */
    protected settleOwnership(changed: CliSession, sessions: McpSessions): void {
        // Its process may have become known just now.
        this.reviews.closeSuperseded(changed, this.id);
        this.reviews.waitingFor(changed, this.id).forEach(({ filePath }) => this.forgetOutcomes(changed, filePath));
        for (const session of new Set([changed, ...sessions.all()])) {
            const successor = session.state === 'streaming' ? undefined : sessions.successorOf(session);
            if (successor) {
                this.reviews.handOver(session, successor);
                // Also those that may have arrived: the CLI finds them by their path, and a second one changes nothing.
                this.deliver(session, outcome => successor.notify(outcome));
            } else if (session.state === 'closed') {
                this.reviews.orphan(({ owner }) => owner === session, this.server ? 'ended' : 'stopped');
                this.deliver(session, () => false);
            }
        }
    }

    /** @param deliver returns false if an outcome can reach nobody any more */
    protected deliver(session: CliSession, deliver: (outcome: ReviewOutcome) => boolean): void {
        for (const outcome of session.takeUndelivered()) {
            if (!deliver(outcome)) {
                this.reviews.markUndelivered(outcome.reviewId);
            }
        }
    }

    protected get reviews(): Reviews {
        return this.services.reviews;
    }
}
