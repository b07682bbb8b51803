// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { restore, stub } from 'sinon';
import { MockLogger } from '@theia/core/lib/common/test/mock-logger';
import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { Container } from '@theia/core/shared/inversify';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { BackendPreferences, backendPreferences } from '../../common/companion-preferences';
import { AgentStatus, WindowSnapshot } from '../../common/companion-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { AgentWindowFeature } from '../agents/agent-window-feature';
import { AgentChange, Agents } from '../agents/agents';
import { Changes } from '../changes/changes';
import { ActiveAgentContribution } from '../changes/active-agent-contribution';
import { ChangesWindowFeature } from '../changes/changes-window-feature';
import { IdeWrites } from '../changes/ide-writes';
import { bindContext } from '../context/context-module';
import { ContextSharing } from '../context/context-sharing';
import { CompanionFolder } from '../discovery/companion-folder';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { LinuxProcessTable } from '../host/linux-process-table';
import { FileAccess } from '../host/file-access';
import { FileInspector } from '../host/file-inspector';
import { HostEnvironment } from '../host/host-environment';
import { Policy } from '../host/policy';
import { Problems } from '../host/problems';
import { ListenerBudget } from '../http/listener-budget';
import { ProcessScans } from '../host/process-scans';
import { ProcessTable } from '../host/process-table';
import { bindMcp } from '../mcp/mcp-module';
import { bindReview } from '../review/review-module';
import { AutoApprovingClis } from '../terminal/auto-approving-clis';
import { DisconnectedClis } from '../agents/disconnected-clis';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { passTime } from '../test/pass-time';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { ClaudeWindows } from '../claude/claude-windows';
import { CliServer } from './cli-server';
import { CopilotWindows } from '../copilot/copilot-windows';
import { ServerEvents } from './companion-events';
import { ConnectedClis } from './connected-clis';
import { EditFiles } from '../review/edit-files';
import { WindowFeature } from './window-feature';
import { WindowServers } from './window-servers';
import { OWNER_ABSENCE_MS, Window } from './window';
import { WindowStates } from './window-states';
import { Windows } from './windows';

/** What the CLIs would have found in the discovery files. */
interface Published {
    readonly port: number;
    readonly roots: readonly string[];
    readonly token: string;
}

class ErrorLogger extends MockLogger {
    constructor(private readonly errors: string[]) {
        super();
    }

    override async warn(...parts: unknown[]): Promise<void> {
        this.errors.push(parts.map(String).join(' '));
    }
}

const QWEN = { id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' };

const WAITING: AgentStatus = { shell: 7, name: 'Claude Code', state: 'blocked', since: 0 };

describe('WindowServers with pages and CLIs', () => {
    let container: Container;
    let servers: WindowServers;
    let windows: Windows;
    let workspace: string;
    let published: Published[];
    let removed: number[];
    /** What keeps servers from starting. */
    let failure: Error | undefined;
    let errors: string[];
    const clis: TestCli[] = [];
    let agentChanges: Emitter<readonly AgentChange[]>;

    beforeEach(async () => {
        failure = undefined;
        errors = [];
        published = [];
        removed = [];
        workspace = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-test-')));
        container = new Container();
        container.bind(ILogger).toConstantValue(new ErrorLogger(errors));
        const { start } = Window.prototype;
        stub(Window.prototype, 'start').callsFake(function (this: Window) {
            return failure ? Promise.reject(failure) : start.call(this);
        });
        container.bind(DiscoveryFiles).toConstantValue(discoveryFiles());
        container.bind(Changes).toConstantValue({
            onDidChange: Event.None,
            follow: () => undefined,
            setAccepted: () => undefined,
            noteAgents: () => undefined,
            lookSoon: () => undefined,
            stateOf: () => ({ version: 0, count: 0 }),
            stop: async () => undefined
        } as Partial<Changes> as Changes);
        container.bind(IdeWrites).toSelf();
        container.bind(ProcessTable).toConstantValue(new LinuxProcessTable());
        container.bind(SupportedClis).toConstantValue({
            all: [QWEN as SupportedCli],
            startable: () => [QWEN],
            nameOf: id => id,
            traitsOf: () => ({})
        } as Partial<SupportedClis> as SupportedClis);
        container.bind(TerminalEnvironment).toConstantValue({
            prepare: async () => undefined
        } as Partial<TerminalEnvironment> as TerminalEnvironment);
        container.bind(FileAccess).toConstantValue(new FileAccess(5_000));
        container.bind(FileInspector).toConstantValue(new FileInspector(container.get(FileAccess)));
        container.bind(ListenerBudget).toConstantValue(new ListenerBudget());
        container.bind(Problems).toSelf().inSingletonScope();
        container.bind(HostEnvironment).toSelf();
        container.bind(Policy).toSelf().inSingletonScope();
        container
            .bind(CompanionFolder)
            .toConstantValue({ installation: async () => 'installation' } as Partial<CompanionFolder> as CompanionFolder);
        container.bind(BackendPreferences).toConstantValue(backendPreferences());
        container.bind(ContributionGuard).toConstantValue(new ContributionGuard());
        container.bind(DisconnectedClis).toConstantValue({
            onDidChange: Event.None,
            namesAt: () => [],
            stateOf: () => ({}),
            lookFor: () => undefined
        } satisfies Partial<DisconnectedClis> as unknown as DisconnectedClis);
        container.bind(AutoApprovingClis).toConstantValue({
            onDidFind: Event.None,
            modeOf: () => undefined
        } as Partial<AutoApprovingClis> as AutoApprovingClis);
        container.bind(ClaudeWindows).toConstantValue({
            publish: async () => true,
            onDidChange: Event.None,
            stateOf: () => ({}),
            lookFor: () => undefined,
            stop: async () => undefined
        } as Partial<ClaudeWindows> as ClaudeWindows);
        container.bind(CopilotWindows).toConstantValue({
            publish: async () => true,
            stop: async () => undefined
        } as Partial<CopilotWindows> as CopilotWindows);
        agentChanges = new Emitter();
        container.bind(Agents).toConstantValue({
            onDidChange: agentChanges.event,
            connect: async () => undefined,
            of: shells => [WAITING].filter(({ shell }) => shells.has(shell))
        } as Partial<Agents> as Agents);
        container.bind(ServerEvents).toSelf().inSingletonScope();
        container.bind(Windows).toSelf().inSingletonScope();
        container.bind(ProcessScans).toConstantValue({ onDidScan: Event.None } as Partial<ProcessScans> as ProcessScans);
        bindRootContributionProvider(container.bind.bind(container), WindowFeature);
        bindRootContributionProvider(container.bind.bind(container), ActiveAgentContribution);
        bindMcp(container.bind.bind(container));
        bindReview(container.bind.bind(container));
        bindContext(container.bind.bind(container));
        container.rebind(EditFiles).toConstantValue({
            read: async () => ({ found: [], gone: [] }),
            keep: async () => undefined
        } as Partial<EditFiles> as EditFiles);
        bindRootContributionProvider(container.bind.bind(container), CliServer);
        [ClaudeWindows, CopilotWindows].forEach(server => container.bind(CliServer).toService(server));
        [DisconnectedClis, ClaudeWindows].forEach(feature => container.bind(WindowFeature).toService(feature));
        for (const feature of [ConnectedClis, AgentWindowFeature, ChangesWindowFeature]) {
            container.bind<WindowFeature>(feature).toSelf().inSingletonScope();
            container.bind(WindowFeature).toService(feature);
        }
        container.bind(WindowStates).toSelf().inSingletonScope();
        container.bind(WindowServers).toSelf().inSingletonScope();
        servers = container.get(WindowServers);
        windows = container.get(Windows);
    });

    afterEach(async () => {
        await Promise.all(clis.splice(0).map(cli => cli.disconnect()));
        await servers.stop();
        restore();
        await fs.rm(workspace, { recursive: true });
    });

    function discoveryFiles(): DiscoveryFiles {
        return {
            publish: async ({ port, roots, tokens }) => {
                published.push({ port, roots, token: tokens.get('qwen-code') ?? '' });
                return true;
            },
            remove: async port => void removed.push(Number(port)),
            publishAs: async () => true
        } as Partial<DiscoveryFiles> as DiscoveryFiles;
    }

    function snapshot(page: TestPage, windowId: string, changes: Partial<WindowSnapshot> = {}): WindowSnapshot {
        return {
            windowId,
            loadId: page.loadId,
            roots: [FileUri.create(workspace).toString()],
            enabled: true,
            focused: true,
            reviewOpen: 'reveal',
            preferences: backendPreferences(),
            excludes: [],
            ...changes
        };
    }

    async function connect(): Promise<TestCli> {
        const { port, token } = published[published.length - 1];
        const cli = await TestCli.connect(port, token);
        clis.push(cli);
        return cli;
    }

    it('L1: when hello answers, the files name a server that answers', async () => {
        const page = new TestPage();
        const state = await servers.hello(page.connection(), snapshot(page, 'w1'));
        expect(state.status).to.deep.equal({ state: 'ready', problems: [], clis: [QWEN], connections: [] });
        expect(published).to.have.length(1);
        expect(published[0].roots).to.deep.equal([workspace]);
        expect(await (await connect()).client.ping()).to.deep.equal({});
    });

    it('a page learns what runs in the terminals that it has, and no more once the companion is off in it', async () => {
        const [page, other] = [new TestPage(), new TestPage()];
        await servers.hello(page.connection(), snapshot(page, 'w1'));
        await servers.hello(other.connection(), snapshot(other, 'w2'));
        const window = windows.get('w1') as Window;
        window.shells = new Set([WAITING.shell]);
        container.get(WindowStates).refresh();
        await eventually('the state', () => page.state?.agents.length === 1);
        expect(page.state?.agents).to.deep.equal([WAITING]);
        agentChanges.fire([{ shell: WAITING.shell, status: WAITING }]);
        await servers.hello(page.connection(), snapshot(page, 'w1', { enabled: false }));
        await eventually('the state', () => page.state?.agents.length === 0);
        expect(other.state?.agents ?? []).to.deep.equal([]);
    });

    it('D10: roots that change are published on the same port', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        await servers.hello(connection, snapshot(page, 'w1', { roots: [] }));
        expect(published.map(({ roots }) => roots)).to.deep.equal([[workspace], []]);
        expect(published[0].port).to.equal(published[1].port);
    });

    it('a reload keeps port and token, and the CLI does not notice', async () => {
        const before = new TestPage();
        const old = before.connection();
        await servers.hello(old, snapshot(before, 'w1'));
        const cli = await connect();
        servers.leave(old);
        const after = new TestPage();
        await servers.hello(after.connection(), snapshot(after, 'w1'));
        expect(published).to.have.length(1);
        await cli.openDiff(path.join(workspace, 'a.txt'), 'new');
        expect(after.shown).to.have.length(1);
        expect(cli.errors).to.deep.equal([]);
    });

    it('a page that was reloaded takes over from a connection that lingers', async () => {
        const before = new TestPage();
        before.answers = false;
        await servers.hello(before.connection(), snapshot(before, 'w1'));
        const after = new TestPage();
        const state = await servers.hello(after.connection(), snapshot(after, 'w1'));
        expect(state.windowId).to.equal('w1');
        expect(published).to.have.length(1);
    });

    it('a duplicated tab becomes a separate window', async () => {
        const first = new TestPage();
        await servers.hello(first.connection(), snapshot(first, 'w1'));
        const copy = new TestPage();
        const state = await servers.hello(copy.connection(), snapshot(copy, 'w1'));
        expect(state.windowId).not.to.equal('w1');
        expect(published[0].port).not.to.equal(published[1].port);
        expect(windows.serverFor('w1')?.port).to.equal(published[0].port);
        expect(windows.serverFor(state.windowId)?.port).to.equal(published[1].port);
    });

    it('a page that reconnects with the socket stays the same window', async () => {
        const page = new TestPage();
        const old = page.connection();
        await servers.hello(old, snapshot(page, 'w1'));
        const state = await servers.hello(page.connection(), snapshot(page, 'w1'));
        servers.leave(old);
        expect(state.windowId).to.equal('w1');
        const cli = await connect();
        await cli.openDiff(path.join(workspace, 'a.txt'), 'new');
        expect(page.shown).to.have.length(1);
    });

    it('a review that was opened while there was no page is in the answer to the next hello', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        const cli = await connect();
        servers.leave(connection);
        expect(await cli.openDiff(path.join(workspace, 'a.txt'), 'new')).to.deep.equal({ content: [] });
        const state = await servers.hello(page.connection(), snapshot(page, 'w1'));
        expect(state.reviews.map(review => review.path)).to.deep.equal([path.join(workspace, 'a.txt')]);
        expect(state.reviews[0]).not.to.have.property('token');
    });

    it('the page gets the connected CLIs and the waiting reviews', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        const cli = await connect();
        await eventually('the connection to be told', () => page.state?.status.connections[0]?.displayName === 'qwen-code');
        await cli.openDiff(path.join(workspace, 'a.txt'), 'new');
        await eventually('the review to be told', () => page.state?.reviews.length === 1);
        await cli.closeDiff(path.join(workspace, 'a.txt'));
        await eventually('the end of the review to be told', () => page.state?.reviews.length === 0);
        expect(JSON.stringify(page.state)).not.to.include(published[0].token);
    });

    it('with companion.review.open = never, later sessions get no tools and live ones no diff', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        const before = await connect();
        await servers.hello(connection, snapshot(page, 'w1', { reviewOpen: 'never' }));
        expect(await before.openDiff(path.join(workspace, 'a.txt'), 'new')).to.deep.equal({ content: [] });
        expect(page.shown).to.deep.equal([]);
        expect((await (await connect()).client.listTools()).tools).to.deep.equal([]);
        await servers.hello(connection, snapshot(page, 'w1'));
        expect((await (await connect()).client.listTools()).tools).to.have.length(2);
    });

    it('switched off, the server and its files are removed at once; switched on, there is a new one', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        const off = await servers.hello(connection, snapshot(page, 'w1', { enabled: false }));
        expect(off.status.state).to.equal('disabled');
        expect(removed).to.deep.equal([published[0].port]);
        expect(windows.serverFor('w1')).to.equal(undefined);
        const on = await servers.hello(connection, snapshot(page, 'w1'));
        expect(on.status.state).to.equal('ready');
        expect(published).to.have.length(2);
    });

    it('a window that is switched off before its server is tried again gets none', async () => {
        const page = new TestPage();
        const connection = page.connection();
        failure = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
        const failed = await servers.hello(connection, snapshot(page, 'w1'));
        expect(failed.status.state).to.equal('failed');
        expect(errors.join('\n')).to.include('EACCES');
        failure = undefined;
        // Both wait in one queue: the second tells what counts for the first, too.
        const on = servers.hello(connection, snapshot(page, 'w1'));
        const off = servers.hello(connection, snapshot(page, 'w1', { enabled: false }));
        expect((await on).status.state).to.equal('disabled');
        expect((await off).status.state).to.equal('disabled');
        expect(published).to.have.length(0);
    });

    it('a window that is turned off serves no other window, and shares nothing with any CLI', async () => {
        const first = new TestPage();
        const connection = first.connection();
        await servers.hello(connection, snapshot(first, 'w1'));
        const cli = await connect();
        const off = new TestPage();
        const offConnection = off.connection();
        await servers.hello(offConnection, snapshot(off, 'w2', { roots: [] }));
        // The folder is opened in it while it is off: it lists the reviews, and that is all.
        const state = await servers.hello(offConnection, snapshot(off, 'w2', { enabled: false }));
        expect(state.status.state).to.equal('disabled');
        servers.leave(connection);
        passTime(OWNER_ABSENCE_MS);
        container
            .get(ContextSharing)
            .update(windows.windowOf(offConnection), { sequence: 1, context: { workspaceState: { isTrusted: true } } });
        expect(await cli.openDiff(path.join(workspace, 'a.txt'), 'new')).to.deep.equal({ content: [] });
        await eventually('the review to be listed', () => off.state?.reviews.length === 1);
        expect(off.shown).to.deep.equal([]);
        expect(await cli.settled()).to.deep.equal([]);
        await servers.hello(offConnection, snapshot(off, 'w2'));
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { isTrusted: true } });
    });

    it('context goes to the sessions of the window, an older one is ignored', async () => {
        const page = new TestPage();
        const connection = page.connection();
        await servers.hello(connection, snapshot(page, 'w1'));
        const cli = await connect();
        expect(container.get(ContextSharing).toldContexts(windows.windowOf(connection))).to.deep.equal([{ cliName: 'qwen-code' }]);
        const newer = { workspaceState: { isTrusted: true } };
        container.get(ContextSharing).update(windows.windowOf(connection), { sequence: 2, context: newer });
        container.get(ContextSharing).update(windows.windowOf(connection), { sequence: 1, context: {} });
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal(newer);
        expect(await cli.settled()).to.deep.equal([]);
        const [told] = container.get(ContextSharing).toldContexts(windows.windowOf(connection));
        expect(told, 'the page can show what the CLI was told').to.deep.include({ cliName: 'qwen-code', context: newer });
        expect(told.toldAt).to.be.a('number');
        expect(() => windows.windowOf(new TestPage().connection()), 'another page').to.throw();
    });

    it('L2: stop ends every server', async () => {
        for (const windowId of [randomUUID(), randomUUID()]) {
            const page = new TestPage();
            await servers.hello(page.connection(), snapshot(page, windowId));
        }
        await servers.stop();
        expect(removed).to.have.members(published.map(({ port }) => port));
        for (const { port } of published) {
            expect(await fetch(`http://127.0.0.1:${port}/mcp`).catch((error: Error) => error)).to.be.instanceOf(Error);
        }
    });
});
