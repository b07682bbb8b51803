// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { backendPreferences } from '../../common/companion-preferences';
import { WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { problemText } from '../../common/problem-text';
import { ChangesHost } from '../changes/test/changes-host';
import { BoundHost } from '../discovery/test/bound-host';
import { UploadFolders } from '../prompt/upload-folders';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { ClaudeClient, readLocks } from '../test/claude-client';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { failureText } from '../test/tool-results';
import { LinuxProcessTable } from './linux-process-table';
import { Policy } from './policy';
import { Problems } from './problems';
import { ProcessTable } from './process-table';

/** The backend reads this file, as a user whom it binds. */
function give(backend: TestBackend, content: unknown): void {
    const bound = new BoundHost();
    fs.mkdirSync(path.dirname(bound.policyFile));
    fs.writeFileSync(bound.policyFile, typeof content === 'string' ? content : JSON.stringify(content));
    const container = bound.container();
    container.rebind(Problems).toConstantValue(backend.container.get(Problems));
    backend.container.rebind(Policy).toConstantValue(container.get(Policy));
    bound.remove();
}

describe('A policy in the backend', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    const toEnd: Array<() => unknown> = [];

    beforeEach(() => {
        [backend, page] = [new TestBackend(), new TestPage()];
    });

    afterEach(async () => {
        await Promise.all(toEnd.splice(0).map(end => end()));
        await backend.stop();
    });

    async function hello(changes: Partial<WindowSnapshot> = {}): Promise<WindowState> {
        connection = backend.connect(page);
        return (page.state = await connection.service.hello(backend.window(page, changes)));
    }

    async function connect(): Promise<TestCli> {
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        toEnd.push(() => cli.disconnect());
        return cli;
    }

    function discoveryFiles(): string[] {
        const names = fs.readdirSync(backend.host.folder, { recursive: true }) as string[];
        return names.filter(name => /\.lock$|ide-server.*\.json$/.test(name)).map(name => path.dirname(name));
    }

    function variables(): string[] {
        const { preferences } = backend.window(page);
        return Object.keys(backend.container.get(TerminalEnvironment).variables({ port: 1, roots: ['/a'] }, {}, preferences));
    }

    it('S26: serves only the CLIs that it names: no file, no variable, no command for another one, which is listed', async () => {
        give(backend, { clis: ['qwen-code', 'opencode'] });
        const { status, policy } = await hello();
        expect(status.clis.map(({ id }) => id)).to.deep.equal(['qwen-code', 'opencode']);
        expect(policy?.clis).to.have.members(['Gemini CLI', 'Claude Code', 'Copilot CLI', 'Kilo CLI']);
        expect(new Set(discoveryFiles())).to.deep.equal(new Set(['tmp/qwen/ide', 'home/.qwen/ide', 'home/.claude/ide']));
        expect(variables().filter(name => name.startsWith('GEMINI'))).to.deep.equal([]);
        expect(variables()).to.include('QWEN_CODE_IDE_SERVER_PORT');
    });

    it('S26: lets no other CLI of a family in by the lock that they share', async () => {
        give(backend, { clis: ['opencode'] });
        // Here all are one process.
        backend.container.rebind<ProcessTable>(ProcessTable).toConstantValue(new LinuxProcessTable('/no/proc'));
        await hello();
        const [lock] = readLocks(backend.host.homeFolder);
        const refused = await ClaudeClient.connect(lock, 'claude-code', backend.host.homeFolder).catch(() => undefined);
        if (refused) {
            toEnd.push(() => refused.kill());
            await eventually('the end of the connection', () => refused.closed);
        }
        const served = await ClaudeClient.connect(lock, 'opencode');
        toEnd.push(() => served.kill());
        await eventually('the connection', () => backend.windows.sessions().some(({ cliId }) => cliId === 'opencode'));
        expect(backend.windows.sessions().map(({ cliId }) => cliId)).to.deep.equal(['opencode']);
    });

    it('S26: counts before what a page says', async () => {
        give(backend, {
            preferences: {
                'companion.review.outsideWorkspace': 'refuse',
                'companion.claude.askBeforeEdits': true,
                'companion.review.open': 'background',
                'companion.agentStatus': false
            }
        });
        const wanted = { ...backendPreferences(), 'companion.claude.askBeforeEdits': false };
        const { status, policy } = await hello({ preferences: wanted, reviewOpen: 'never' });
        expect(Object.keys(policy?.preferences ?? {})).to.have.length(4);
        expect(status.clis.find(({ id }) => id === 'claude-code')?.command).to.include('--permission-mode manual');
        expect(backend.windows.preferencesOf('window-1')['companion.agentStatus']).to.equal(false);
        expect(backend.windows.preferencesOf(undefined)['companion.agentStatus'], 'a shell of no window').to.equal(false);
        const cli = await connect();
        expect(failureText(await cli.openDiff('/etc/hosts', 'x'))).to.include('outside the workspace');
        expect(await cli.openDiff(backend.host.home('a.txt'), 'x'), 'reviews are offered').to.deep.equal({ content: [] });
    });

    it('S26: can turn the companion off in every window', async () => {
        give(backend, { preferences: { 'companion.enabled': false } });
        expect((await hello()).status.state).to.equal('disabled');
        expect(discoveryFiles()).to.deep.equal([]);
    });

    it('S16: keeps files from CLIs that a page shares, with their problems', async () => {
        give(backend, { preferences: { 'companion.context.exclude': ['**/customers/**', 'secret.txt'] } });
        await hello();
        const cli = await connect();
        const names = ['a.txt', 'customers/b.txt', 'secret.txt'];
        const openFiles = names.map(name => ({ path: backend.host.home(name), timestamp: 1 }));
        await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles, isTrusted: true } } });
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({
            workspaceState: { openFiles: [openFiles[0]], isTrusted: true }
        });
        page.diagnostics = names.map(name => ({ uri: FileUri.create(backend.host.home(name)).toString(), diagnostics: [] }));
        const [window] = backend.windows.all();
        expect((await window.diagnostics(undefined)).map(({ uri }) => path.basename(uri))).to.deep.equal(['a.txt']);
    });

    it('S16: keeps all files from CLIs if it says that nothing is shared', async () => {
        give(backend, { preferences: { 'companion.context.share': false } });
        await hello();
        const cli = await connect();
        const openFiles = [{ path: backend.host.home('a.txt'), timestamp: 1 }];
        await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles, isTrusted: true } } });
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { openFiles: [], isTrusted: true } });
    });

    it('S26: makes no folder for uploads if it forbids them', async () => {
        give(backend, { uploads: false });
        backend.container.rebind<unknown>(UploadFolders).toConstantValue({ make: async () => '/made' });
        await hello();
        await connection.service.watchTerminals([1, 2]);
        expect(await connection.service.makeUploadFolder(1)).to.equal(undefined);
        give(backend, {});
        await hello({ windowId: 'window-2' });
        await connection.service.watchTerminals([1, 2]);
        expect(await connection.service.makeUploadFolder(1)).to.equal('/made');
    });

    it('S25: that is broken serves no CLI and says why, and the IDE runs', async () => {
        give(backend, '{"clis": ');
        const { status, policy } = await hello();
        expect([status.state, status.clis, policy]).to.deep.equal(['ready', [], undefined]);
        expect(status.problems.map(problemText).join()).to.match(
            /^No CLI is served, because the policy \S+ cannot be used\. It is no JSON object/
        );
        expect(discoveryFiles()).to.deep.equal([]);
        expect(variables()).to.deep.equal([]);
        expect(backend.container.get(Policy).allows('chat')).to.equal(false);
    });
});

describe('A policy about what agents changed', () => {
    let host: ChangesHost;

    afterEach(() => host.stop());

    async function start(policy: unknown): Promise<void> {
        host = new ChangesHost();
        host.makeRepository('a.txt');
        host.commit();
        await host.start(true, backend => give(backend, policy));
    }

    it('S26: undoes no whole file, whatever a page asks', async () => {
        await start({ undoWholeFiles: false });
        await host.startAgent();
        host.write('a.txt', 'by the agent\n');
        const change = await eventually('the change', async () => (await host.service.readChanges(true)).files[0]);
        expect(change.canUndo).to.equal(false);
        const undone = await host.service.undoFiles([change]).catch((error: Error) => error);
        expect(undone).to.be.an('error');
        expect(host.read('a.txt')).to.equal('by the agent\n');
    });
});
