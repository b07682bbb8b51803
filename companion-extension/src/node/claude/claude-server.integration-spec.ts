// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { backendPreferences } from '../../common/companion-preferences';
import { WindowSnapshot } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { problemText } from '../../common/problem-text';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { LinuxProcessTable } from '../host/linux-process-table';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { ServerTimings } from '../server/window-servers';
import { Windows } from '../server/windows';
import { ClaudeClient, ClaudeLock, readLocks } from '../test/claude-client';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { saveOf, TestPage, typed } from '../test/test-page';
import { TestTerminal } from '../test/test-terminal';

describe('The companion for Claude Code, with the official MCP client over a WebSocket', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    const clis: ClaudeClient[] = [];

    const file = (name: string): string => backend.host.home(name);
    const lock = (): ClaudeLock => readLocks(backend.host.homeFolder)[0];

    /** With the folder that this process runs in: it is the CLI. */
    const window = (changes: Partial<WindowSnapshot> = {}): WindowSnapshot => ({
        ...backend.window(page),
        roots: [backend.host.homeFolder, process.cwd()].map(folder => FileUri.create(folder).toString()),
        ...changes
    });

    async function connect(name?: string, pid?: number): Promise<ClaudeClient> {
        const cli = await ClaudeClient.connect(lock(), name, undefined, pid);
        clis.push(cli);
        return cli;
    }

    async function shown(count = 1): Promise<string> {
        await eventually('the diff', () => page.shown.length === count);
        return page.shown[count - 1].id;
    }

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        await connection.service.hello(window());
    });

    afterEach(async () => {
        clis.splice(0).forEach(cli => cli.kill());
        await backend.stop();
    });

    describe('the lock file', () => {
        it('W1: is one for the backend, names the folders of all windows by all their names, and is private', async () => {
            const real = backend.host.home('real');
            const link = backend.host.home('link');
            fs.mkdirSync(real);
            fs.symlinkSync(real, link);
            const other = new TestPage();
            const second = backend.connect(other);
            await second.service.hello(backend.window(other, { windowId: 'window-2', roots: [FileUri.create(link).toString()] }));
            const locks = readLocks(backend.host.homeFolder);
            expect(locks).to.have.length(1);
            const { workspaceFolders, pid, ideName, transport } = locks[0];
            expect(workspaceFolders).to.have.members([backend.host.homeFolder, process.cwd(), real, link]);
            expect({ pid, ideName, transport }).to.deep.equal({ pid: process.pid, ideName: 'Test IDE', transport: 'ws' });
            const folder = backend.host.home('.claude', 'ide');
            expect(fs.statSync(folder).mode & 0o777).to.equal(0o700);
            expect(fs.statSync(path.join(folder, `${locks[0].port}.lock`)).mode & 0o777).to.equal(0o600);
        });

        it('has no folder of a window in which the companion is off, and is removed with the last window', async () => {
            await connection.service.hello(window({ enabled: false }));
            expect(readLocks(backend.host.homeFolder)).to.deep.equal([]);
            await connection.service.hello(window());
            expect(lock().workspaceFolders).to.deep.equal([backend.host.homeFolder, process.cwd()]);
        });

        it('is removed at once when the process ends', () => {
            backend.container.get(DiscoveryFiles).removeSync();
            expect(readLocks(backend.host.homeFolder)).to.deep.equal([]);
        });
    });

    it('W3: serves a client that offers the subprotocol, and lists its tools', async () => {
        const cli = await connect();
        expect(cli.socket.protocol).to.equal('mcp');
        const { tools } = await cli.client.listTools();
        expect(tools.map(({ name }) => name)).to.deep.equal(['openDiff', 'close_tab', 'closeAllDiffTabs', 'getDiagnostics']);
        await eventually('the status', () => page.state?.status.connections.some(({ displayName }) => displayName === 'Claude Code'));
    });

    it('tells CLIs of the family apart by what they call themselves', async () => {
        await connect('opencode');
        await eventually('the status', () => page.state?.status.connections.some(({ cliId }) => cliId === 'opencode'));
    });

    it('tells apart by their processes those that call themselves the same', async () => {
        const processes = backend.container.get<ProcessTable>(ProcessTable);
        const details = processes.details.bind(processes);
        processes.details = async pid => {
            const found = await details(pid);
            return found && { ...found, command: ['/usr/lib/node_modules/@kilocode/cli-linux-x64/bin/kilo'] };
        };
        await connect('opencode');
        await eventually('the status', () => page.state?.status.connections.some(({ displayName }) => displayName === 'Kilo CLI'));
    });

    describe('openDiff', () => {
        it('W6: stays open until the user accepts, and answers with the text as the user left it', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'proposed');
            const id = await shown();
            expect(await connection.service.acceptReview(id, typed('edited'))).to.deep.equal({ result: 'done' });
            expect(await answer).to.deep.equal(['FILE_SAVED', 'edited']);
            expect(await cli.closeTab(`tab of ${file('a.txt')}`)).to.deep.equal(['TAB_CLOSED']);
        });

        it('answers with the proposal byte for byte where nothing was edited', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), '\ufeffone\r\ntwo\n');
            await connection.service.acceptReview(await shown(), { revision: PROPOSAL });
            expect(await answer).to.deep.equal(['FILE_SAVED', '\ufeffone\r\ntwo\n']);
        });

        it('W6: answers with the tab when the user rejects', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'proposed', '✻ a.txt');
            await connection.service.rejectReview(await shown());
            expect(await answer).to.deep.equal(['DIFF_REJECTED', '✻ a.txt']);
        });

        it('W7: close_tab while it is open: the user has answered in the terminal, and the edits are kept', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'proposed', 'tab');
            const id = await shown();
            await connection.service.saveReview(saveOf(id, 'edited'));
            expect(await cli.closeTab('tab')).to.deep.equal(['TAB_CLOSED']);
            expect(await answer).to.deep.equal(['DIFF_REJECTED', 'tab']);
            expect(await connection.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'late', how: 'closed' });
            fs.writeFileSync(file('a.txt'), 'proposed');
            await eventually('the kept edits', () => page.state?.keptEdits.some(({ reason }) => reason === 'terminal'));
        });

        it('a tab that shows another file from now on closes the diff that it had', async () => {
            const cli = await connect();
            const first = cli.openDiff(file('a.txt'), 'proposed', 'tab');
            await shown();
            const second = cli.openDiff(file('b.txt'), 'another', 'tab');
            expect(await first).to.deep.equal(['DIFF_REJECTED', 'tab']);
            const id = await shown(2);
            await eventually('only the second diff', () => page.state?.reviews.map(review => review.id).join() === id);
            await connection.service.acceptReview(id, { revision: PROPOSAL });
            expect(await second).to.deep.equal(['FILE_SAVED', 'another']);
        });

        it('W7: close_tab that follows at once ends it, and no diff stays', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'proposed', 'tab');
            expect(await cli.closeTab('tab')).to.deep.equal(['TAB_CLOSED']);
            expect(await answer).to.deep.equal(['DIFF_REJECTED', 'tab']);
            const other = cli.openDiff(file('b.txt'), 'proposed');
            await eventually('the other diff alone', () => page.state?.reviews.map(({ uri }) => uri.endsWith('b.txt')).join() === 'true');
            await connection.service.rejectReview(page.state?.reviews[0].id ?? '');
            expect((await other)[0]).to.equal('DIFF_REJECTED');
        });

        it('W8: closeAllDiffTabs closes only those of its own session', async () => {
            const cli = await connect();
            const other = await connect('opencode');
            const answers = [cli.openDiff(file('a.txt'), 'a'), cli.openDiff(file('b.txt'), 'b')];
            const kept = other.openDiff(file('c.txt'), 'c');
            await shown(3);
            expect(await cli.call('closeAllDiffTabs')).to.deep.equal(['CLOSED_2_DIFF_TABS']);
            expect((await Promise.all(answers)).map(([word]) => word)).to.deep.equal(['DIFF_REJECTED', 'DIFF_REJECTED']);
            await eventually('the other diff alone', () => page.state?.reviews.map(({ path: shown }) => shown).join() === file('c.txt'));
            await connection.service.acceptReview(page.state?.reviews[0].id ?? '', { revision: PROPOSAL });
            expect(await kept).to.deep.equal(['FILE_SAVED', 'c']);
        });

        it('W14: a call that its CLI cancels ends its diff, and no other', async () => {
            const cli = await connect();
            const limit = new AbortController();
            const params = { old_file_path: file('a.txt'), new_file_path: file('a.txt'), new_file_contents: 'new', tab_name: 'tab' };
            const call = cli.client
                .callTool({ name: 'openDiff', arguments: params }, undefined, { signal: limit.signal })
                .catch(() => 'given up');
            const other = cli.openDiff(file('b.txt'), 'other');
            await shown(2);
            limit.abort();
            expect(await call).to.equal('given up');
            await eventually('the other diff alone', () => page.state?.reviews.map(({ uri }) => uri.endsWith('b.txt')).join() === 'true');
            await connection.service.acceptReview(page.state?.reviews[0].id ?? '', { revision: PROPOSAL });
            expect(await other).to.deep.equal(['FILE_SAVED', 'other']);
        });

        /** Both in one piece of the stream. */
        function openAndCancel(cli: ClaudeClient): void {
            const args = { old_file_path: file('a.txt'), new_file_path: file('a.txt'), new_file_contents: 'new', tab_name: 'tab' };
            const call = { id: 1_000, method: 'tools/call', params: { name: 'openDiff', arguments: args } };
            const cancellation = { method: 'notifications/cancelled', params: { requestId: 1_000 } };
            [call, cancellation].forEach(message => cli.socket.send(JSON.stringify({ jsonrpc: '2.0', ...message })));
        }

        it('W14: a call that its CLI cancels in the same moment leaves no diff behind', async () => {
            const cli = await connect();
            await cli.client.listTools();
            openAndCancel(cli);
            await cli.call('getDiagnostics');
            await new Promise(resolve => setTimeout(resolve, 200));
            expect(page.state?.reviews).to.deep.equal([]);
        });

        it('W14: a call that its CLI cancels before its process is found leaves no diff behind', async () => {
            const processes = backend.container.get<ProcessTable>(ProcessTable);
            const peerOf = processes.peerOf.bind(processes);
            const isLooked = new Deferred();
            processes.peerOf = async (...ports) => {
                await isLooked.promise;
                return peerOf(...ports);
            };
            const cli = await connect();
            openAndCancel(cli);
            await cli.client.ping();
            isLooked.resolve();
            await cli.call('getDiagnostics');
            await new Promise(resolve => setTimeout(resolve, 200));
            expect(page.state?.reviews).to.deep.equal([]);
        });

        it('W14: a CLI that is killed leaves no diff behind, and the edits are kept', async () => {
            const cli = await connect();
            cli.openDiff(file('a.txt'), 'proposed').catch(() => undefined);
            const id = await shown();
            await connection.service.saveReview(saveOf(id, 'edited'));
            cli.kill();
            await eventually('the diff to end', () => page.state?.reviews.length === 0);
            await eventually('the kept edits', () => page.state?.keptEdits.length === 1);
        });

        it('W14: a CLI that connects again and asks again gets the answer on its new connection', async () => {
            const before = await connect();
            const lost = before.openDiff(file('a.txt'), 'first').catch(() => ['lost']);
            await shown();
            const cli = await connect();
            await eventually('the old connection to end', () => before.closed);
            expect(await lost).to.deep.equal(['lost']);
            const answer = cli.openDiff(file('a.txt'), 'second');
            await connection.service.acceptReview(await shown(2), { revision: PROPOSAL });
            expect(await answer).to.deep.equal(['FILE_SAVED', 'second']);
        });

        it('a newer question for a file is not answered by an answer to the older one, also while processes are looked for', async () => {
            const cli = await connect();
            const first = cli.openDiff(file('a.txt'), 'first', 'tab 1');
            const id = await shown();
            const looking = new Deferred<void>();
            const { server } = backend.container.get(Windows).get('window-1') ?? expect.fail('The window is not known');
            Object.assign(server?.sessions ?? {}, { identified: looking.promise });
            const second = cli.openDiff(file('a.txt'), 'second', 'tab 2');
            expect(await first).to.deep.equal(['DIFF_REJECTED', 'tab 1']);
            expect(await connection.service.acceptReview(id, { revision: PROPOSAL })).to.include({ result: 'late' });
            looking.resolve();
            await connection.service.acceptReview(await shown(2), { revision: PROPOSAL });
            expect(await second).to.deep.equal(['FILE_SAVED', 'second']);
            await eventually('no diff to be left', () => page.state?.reviews.length === 0);
        });

        it('two CLIs whose connections one process forwards are two: neither ends the other or its diff', async () => {
            const one = await connect('claude-code', 1001);
            const answer = one.openDiff(file('a.txt'), 'of one');
            const id = await shown();
            const other = await connect('claude-code', 1002);
            const otherAnswer = other.openDiff(file('a.txt'), 'of the other');
            const otherId = await shown(2);
            await connection.service.acceptReview(id, { revision: PROPOSAL });
            expect(await answer).to.deep.equal(['FILE_SAVED', 'of one']);
            await connection.service.rejectReview(otherId);
            expect((await otherAnswer)[0]).to.equal('DIFF_REJECTED');
            expect([one.closed, other.closed]).to.deep.equal([false, false]);
        });

        it('a connection that the companion ends is told why', async () => {
            const before = await connect();
            // It is answered once the window is found.
            await before.client.listTools();
            const after = await connect();
            await eventually('the old connection to end', () => before.closed);
            expect(before.reason).to.equal('This CLI has connected again');
            await connection.service.hello(window({ enabled: false }));
            await eventually('the connection to end', () => after.closed);
            expect(after.reason).to.equal('The window of this CLI is served no longer');
        });

        it('waits while there is no page', async () => {
            const cli = await connect();
            page.answers = false;
            const answer = cli.openDiff(file('a.txt'), 'proposed');
            const id = await shown();
            page.answers = true;
            await connection.service.acceptReview(id, { revision: PROPOSAL });
            expect(await answer).to.deep.equal(['FILE_SAVED', 'proposed']);
        });

        it('W9: fails if the diff cannot be shown, and the CLI asks in the terminal', async () => {
            const cli = await connect();
            page.refusal = 'No room';
            expect(await cli.openDiff(file('a.txt'), 'proposed')).to.deep.equal(['error', 'No room']);
            const preferences = { ...backendPreferences(), 'companion.review.outsideWorkspace': 'refuse' as const };
            await connection.service.hello(window({ preferences }));
            const outside = backend.host.temporary('a.txt');
            expect((await cli.openDiff(outside, 'proposed'))[1]).to.contain('lies outside the workspace');
        });

        it('W10: is not offered with companion.review.open: never', async () => {
            await connection.service.hello(window({ reviewOpen: 'never' }));
            const cli = await connect();
            expect((await cli.client.listTools()).tools.map(({ name }) => name)).to.deep.equal(['getDiagnostics']);
            const error = await cli.openDiff(file('a.txt'), 'proposed').catch((reason: Error) => reason.message);
            expect(error).to.contain('Unknown tool');
            expect(page.shown).to.deep.equal([]);
        });

        it('W10: a session keeps its tools: what is open when the user turns reviews off is ended by an answer in the terminal', async () => {
            const cli = await connect();
            await cli.client.listTools();
            const answer = cli.openDiff(file('a.txt'), 'proposed');
            await shown();
            await connection.service.hello(window({ reviewOpen: 'never' }));
            expect(await cli.closeTab(`tab of ${file('a.txt')}`)).to.deep.equal(['TAB_CLOSED']);
            expect(await answer).to.deep.equal(['DIFF_REJECTED', `tab of ${file('a.txt')}`]);
            await eventually('the end of the diff', () => page.state?.reviews.length === 0);
        });
    });

    describe('what the user looks at', () => {
        const openFiles = [
            {
                path: '/ws/a.ts',
                timestamp: 2,
                isActive: true,
                cursor: { line: 2, character: 4 },
                selectedText: 'text',
                selection: { start: { line: 2, character: 1 }, end: { line: 2, character: 5 } }
            },
            { path: '/ws/b.ts', timestamp: 1 }
        ];

        it('W11: a new session learns of the selection, counted from 0, and of its end', async () => {
            await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles } } });
            const cli = await connect();
            expect((await cli.next('selection_changed')).params).to.deep.equal({
                text: 'text',
                filePath: '/ws/a.ts',
                fileUrl: 'file:///ws/a.ts',
                selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 4 }, isEmpty: false }
            });
            await connection.service.updateContext({ sequence: 2, context: { workspaceState: { openFiles: [] } } });
            expect((await cli.next('selection_changed')).params).to.deep.equal({ text: '', selection: null });
        });

        it('the status shows what was shared', async () => {
            await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles } } });
            const cli = await connect();
            await cli.next('selection_changed');
            const [told] = await connection.service.readToldContexts();
            expect(told).to.deep.include({ cliName: 'Claude Code', context: { workspaceState: { openFiles } } });
        });

        it('W13: getDiagnostics gives what the page gives, and nothing if it does not answer', async () => {
            const cli = await connect();
            const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
            page.diagnostics = [{ uri: 'file:///a', diagnostics: [{ message: 'Wrong', severity: 'Error', range, source: 'ts' }] }];
            const [text] = await cli.call('getDiagnostics', { uri: 'file:///a' });
            expect(JSON.parse(text)).to.deep.equal(page.diagnostics);
            page.answers = false;
            expect(await cli.call('getDiagnostics')).to.deep.equal(['[]']);
        });
    });

    describe('the diagnosis', () => {
        let showClis: () => void;
        beforeEach(() => (showClis = TestTerminal.hideClis()));
        afterEach(() => showClis());

        const steps = async (): Promise<string[]> => {
            const { clis } = await connection.service.diagnose();
            return clis.find(({ cliId }) => cliId === 'claude-code')?.steps.map(({ id }) => id) ?? [];
        };

        it('finds the lock and connects by it, without being taken for a CLI', async () => {
            expect(await steps()).to.include.members(['file', 'workspace', 'handshake']);
            expect(page.state?.status.connections ?? []).to.deep.equal([]);
        });

        it("W15: names another IDE's lock for the same folder: Claude Code connects to none then", async () => {
            const folders = { workspaceFolders: [backend.host.homeFolder], pid: process.pid };
            fs.writeFileSync(backend.host.home('.claude', 'ide', '1234.lock'), JSON.stringify(folders));
            expect(await steps()).to.include('file.ambiguous');
        });
    });

    it("W15: the status names another IDE's lock for the same folder as long as that IDE lives, in the windows of that folder", async () => {
        const file = backend.host.home('.claude', 'ide', '1234.lock');
        const content = { workspaceFolders: [backend.host.homeFolder], ideName: 'Other IDE', pid: process.pid };
        const problems = async (): Promise<string> => {
            await connection.service.hello(window());
            // What it finds comes with a later state.
            await backend.connect(new TestPage()).service.hello(backend.window(page, { windowId: 'elsewhere', roots: [] }));
            return (page.state?.status.problems ?? []).map(problemText).join();
        };
        fs.writeFileSync(file, JSON.stringify(content));
        await eventually('the problem', async () =>
            (await problems()).includes(`Another IDE has the same folder open: Other IDE (${file}).`)
        );
        fs.writeFileSync(file, JSON.stringify({ ...content, pid: 2 ** 22 + 1 }));
        await eventually('its end', async () => (await problems()) === '');
    });

    it('W15: the message about another IDE ends with the window', async () => {
        const content = { workspaceFolders: [backend.host.homeFolder], ideName: 'Other IDE', pid: process.pid };
        fs.writeFileSync(backend.host.home('.claude', 'ide', '1234.lock'), JSON.stringify(content));
        await connection.service.hello(window());
        const codes = (): string[] =>
            backend.container
                .get(Problems)
                .of('window-1')
                .map(({ code }) => code);
        await eventually('the problem', () => codes().includes('other-ide'));
        connection.disconnect();
        const takeBack = passTime(ServerTimings.unneededMs + 1_000);
        try {
            await eventually('its end', () => codes().length === 0);
        } finally {
            takeBack();
        }
    });

    it('W5: each CLI belongs to the window whose terminal it runs in, or to the one that had the focus last', async () => {
        const other = new TestPage();
        const second = backend.connect(other);
        await second.service.hello(window({ windowId: 'window-2', loadId: other.loadId }));
        await connect();
        await eventually('the window', () => other.state?.status.connections.length === 1);
        expect(page.state?.status.connections ?? []).to.deep.equal([]);
    });

    it('W5: if the system does not report processes, a CLI belongs to the window of the folder that it names', async () => {
        await backend.stop();
        backend = new TestBackend();
        backend.container.rebind<ProcessTable>(ProcessTable).toConstantValue(new LinuxProcessTable('/no/proc'));
        const other = new TestPage();
        const folder = backend.host.home('other');
        fs.mkdirSync(folder);
        await backend.connect(page).service.hello(backend.window(page, { roots: [FileUri.create(process.cwd()).toString()] }));
        const roots = [FileUri.create(folder).toString()];
        await backend.connect(other).service.hello(backend.window(other, { windowId: 'window-2', roots }));
        await connect();
        await eventually('the window of its folder', () => page.state?.status.connections.length === 1);
        clis.push(await ClaudeClient.connect(lock(), 'claude-code', folder));
        await eventually('the other window', () => other.state?.status.connections.length === 1);
        expect(page.state?.status.connections).to.have.length(1);
    });

    it('a window that is switched off while a CLI connects again ends both of its connections', async () => {
        // OpenCode does not say its pid: it is waited for, for a second.
        await connect('opencode', NaN);
        await eventually('the first connection', () => page.state?.status.connections.length === 1);
        const again = await connect('opencode', NaN);
        await again.client.ping();
        await new Promise(resolve => setTimeout(resolve, 300));
        await connection.service.hello(window({ enabled: false }));
        await eventually('the end', () => again.closed);
    });

    it('a window that is switched off ends the connections of its CLIs', async () => {
        const cli = await connect();
        await connection.service.hello(window({ enabled: false }));
        await eventually('the end', () => cli.closed);
    });
});
