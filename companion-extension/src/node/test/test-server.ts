// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { backendPreferences } from '../../common/companion-preferences';
import { FileDiagnostics, ReviewAnswer, ReviewSave, ShownText, ShowReviewResult, WindowSnapshot } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { SharedContext } from '../context/shared-context';
import { FileAccess } from '../host/file-access';
import { WorkspaceRoots } from '../host/workspace-roots';
import { ListenerBudget, ListenerLimits } from '../http/listener-budget';
import { McpDialect } from '../mcp/mcp-dialect';
import { SessionTimings } from '../mcp/mcp-session';
import { PortTimings } from '../http/port-keeper';
import { DEFAULT_SESSION_TIMINGS } from '../mcp/mcp-sessions';
import { FileInspector } from '../host/file-inspector';
import { FileTexts } from '../review/file-texts';
import { Review } from '../review/review';
import { Reviews } from '../review/reviews';
import { ReviewPresenter, WindowReviews } from '../review/window-reviews';
import { Window, WindowServer, WindowServices } from '../server/window';
import { OwnProcesses } from './own-processes';
import { RecordingLogger } from './recording-logger';
import { eventually, TestCli } from './test-cli';

// No test waits longer, and none leaves a keeper behind.
PortTimings.keptMs = 2_000;

/** A real server on a real port with a page that the test plays. */
export class TestServer {
    readonly shown: Review[] = [];
    readonly closed: Review[] = [];
    showResult: ShowReviewResult | undefined = { shown: true };
    /** What the page has not sent when a diff is closed. */
    unsent: ((review: Review) => ReviewSave) | undefined;
    readonly preferences = backendPreferences();
    diagnostics: FileDiagnostics[] = [];
    readonly logger = new RecordingLogger();

    readonly fileAccess = new FileAccess(5_000);
    readonly reviews = new Reviews({
        files: new FileTexts(this.fileAccess),
        inspector: new FileInspector(this.fileAccess),
        nameOf: ({ cliId }) => cliId,
        traitsOf: () => ({})
    });
    window: Window;
    server: WindowServer;
    context: SharedContext;
    /** A real folder, removed in the end. */
    workspace: string;
    private readonly clis: TestCli[] = [];
    private readonly presenter: ReviewPresenter = {
        show: async review => {
            this.shown.push(review);
            return this.showResult;
        },
        close: async review => {
            this.closed.push(review);
            if (this.unsent) {
                await this.reviews.save(this.unsent(review), review.place);
            }
        }
    };

    static async start(timings: Partial<SessionTimings> = {}, limits?: ListenerLimits): Promise<TestServer> {
        const test = new TestServer();
        test.workspace = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-test-')));
        test.window = new Window('window', test.services({ ...DEFAULT_SESSION_TIMINGS, ...timings }, limits));
        test.window.openFolders(new WorkspaceRoots([test.workspace]));
        test.server = await test.window.start();
        test.context = new SharedContext(test.server.sessions);
        await test.window.publish([test.workspace]);
        return test;
    }

    /** Starts one with a connected CLI before each test of a suite, and stops it after the test. */
    static forEachTest(take: (test: TestServer, cli: TestCli) => void): void {
        let test: TestServer;
        beforeEach(async () => {
            test = await TestServer.start();
            take(test, await test.connect());
        });
        afterEach(() => test.stop());
    }

    file(name: string): string {
        return path.join(this.workspace, name);
    }

    token(cliId = 'qwen-code'): string {
        return this.server.tokens.get(cliId) ?? '';
    }

    /** The lines of the window's log, without their times. */
    get log(): string[] {
        return this.window.log.after(0).lines.map(line => line.slice(line.indexOf(' ') + 1));
    }

    /** What `companion.review.open` says from now on. */
    set reviewOpen(reviewOpen: WindowSnapshot['reviewOpen']) {
        const { preferences } = this;
        this.window.snapshot = {
            windowId: 'window',
            loadId: 'load',
            roots: [],
            enabled: true,
            focused: true,
            reviewOpen,
            preferences,
            excludes: []
        };
    }

    async connect(cliId?: string): Promise<TestCli> {
        const cli = await TestCli.connect(this.server.port, this.token(cliId));
        this.clis.push(cli);
        return cli;
    }

    /** The page answers. @param shown by default the proposal as it came */
    accept(review: Review, shown: ShownText = { revision: PROPOSAL }): ReviewAnswer {
        return this.reviews.accept(review, shown, 'load');
    }

    reject(review: Review): ReviewAnswer {
        return this.reviews.reject(review, 'load');
    }

    /** One request with the right token; a session's id is one of the headers. */
    post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
        return fetch(`http://127.0.0.1:${this.server.port}/mcp`, {
            method: 'POST',
            headers: {
                Authorization: `Bearer ${this.token()}`,
                'Content-Type': 'application/json',
                Accept: 'application/json, text/event-stream',
                ...headers
            },
            body: typeof body === 'string' ? body : JSON.stringify(body)
        });
    }

    async stop(): Promise<void> {
        await Promise.all(this.clis.map(cli => cli.disconnect()));
        await this.window.stop();
        this.reviews.dispose();
        await fs.rm(this.workspace, { recursive: true });
    }

    private services(timings: SessionTimings, limits?: ListenerLimits): WindowServices {
        return {
            cliIds: () => ['qwen-code', 'gemini-cli'],
            files: { publish: async () => true, remove: async () => undefined },
            onDidChangeSession: () => undefined,
            diagnostics: async () => this.diagnostics,
            dialect: new McpDialect(new OwnProcesses(), timings),
            makeDiffs: window => new WindowReviews(window, this.reviews, this.presenter, this.fileAccess),
            preferences: this.preferences,
            budget: new ListenerBudget(limits),
            fileAccess: this.fileAccess,
            logger: this.logger
        };
    }
}

/** Returns once a session without a stream, which began now, has been closed. */
export async function longerThanLostSessionsLive(test: TestServer): Promise<void> {
    const other = await test.connect('gemini-cli');
    const { sessionId } = other;
    await other.disconnect();
    await eventually('the other session to be closed', () => !test.server.sessions.all().some(({ id }) => id === sessionId));
}
