// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { IdeContext, WindowSnapshot } from '../../common/companion-protocol';
import { DiagnosisStep } from '../../common/diagnosis';
import { problemText } from '../../common/problem-text';
import { PROPOSAL } from '../../common/revision';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from '../host/linux-process-table';
import { Problems } from '../host/problems';
import { ProcessTable, RunningProcess } from '../host/process-table';
import { Windows } from '../server/windows';
import { CopilotClient, CopilotLock, readCopilotLocks } from '../test/copilot-client';
import { RawConnection } from '../test/raw-connection';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { saveOf, TestPage } from '../test/test-page';
import { TestTerminal } from '../test/test-terminal';

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'copilot-cli', version: '1.0.102' } };

describe('The companion for Copilot CLI, with the official MCP client over a socket', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let sequence = 0;
    const clis: CopilotClient[] = [];

    const file = (name: string): string => backend.host.home(name);
    const locks = (): CopilotLock[] => readCopilotLocks(backend.host.homeFolder);

    async function connect(lock = locks()[0], pid?: number): Promise<CopilotClient> {
        const cli = await CopilotClient.connect(lock, pid);
        clis.push(cli);
        return cli;
    }

    function tell(context: IdeContext['workspaceState'], { service } = connection): Promise<void> {
        return service.updateContext({ sequence: ++sequence, context: { workspaceState: context } });
    }

    function select(name: string, selectedText: string): Promise<void> {
        const selection = { start: { line: 2, character: 1 }, end: { line: 2, character: 4 } };
        const active = { path: file(name), timestamp: 1, isActive: true, cursor: { line: 2, character: 4 }, selectedText, selection };
        return tell({ openFiles: [active] });
    }

    async function shown(count = 1): Promise<string> {
        await eventually('the diff', () => page.shown.length === count);
        return page.shown[count - 1].id;
    }

    function hello(changes: Partial<WindowSnapshot> = {}): Promise<unknown> {
        return connection.service.hello(backend.window(page, changes));
    }

    function start(host?: TestHost): Promise<unknown> {
        backend = new TestBackend(host);
        page = new TestPage();
        connection = backend.connect(page);
        return hello();
    }

    /** One request as the CLI sends it, with a body whose length it does not say. @param headers changed; an empty value leaves one out */
    async function post(body: unknown, headers: Record<string, string> = {}, lock = locks()[0]): Promise<RawConnection> {
        const all: Record<string, string> = {
            Host: 'localhost',
            Authorization: lock.headers.Authorization,
            Accept: 'application/json, text/event-stream',
            'Content-Type': 'application/json',
            'Transfer-Encoding': 'chunked',
            ...headers
        };
        const lines = Object.entries(all).flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
        const text = JSON.stringify(body);
        const raw = await RawConnection.open(lock.socketPath);
        raw.send(['POST /mcp HTTP/1.1', ...lines, '', Buffer.byteLength(text).toString(16), text, '0', '', ''].join('\r\n'));
        await eventually('the answer', () => raw.status || undefined);
        raw.socket.end();
        return raw;
    }

    beforeEach(async () => {
        await start();
    });

    afterEach(async () => {
        await Promise.all(clis.splice(0).map(cli => cli.kill()));
        await backend.stop();
    });

    describe('the lock', () => {
        it('P1: is one for each folder, private as its socket, and says no trust that nobody has given', async () => {
            const other = new TestPage();
            await backend.connect(other).service.hello(backend.window(other, { windowId: 'window-2' }));
            expect(locks()).to.have.length(1);
            const [{ file: lock, socketPath, scheme, pid, ideName, workspaceFolders, isTrusted }] = locks();
            expect({ scheme, pid, ideName, workspaceFolders, isTrusted }).to.deep.equal({
                scheme: 'unix',
                pid: process.pid,
                ideName: 'Test IDE',
                workspaceFolders: [backend.host.homeFolder],
                isTrusted: undefined
            });
            const modes = [lock, path.dirname(lock), socketPath, path.dirname(socketPath)].map(name => fs.statSync(name).mode & 0o777);
            expect(modes).to.deep.equal([0o600, 0o700, 0o600, 0o700]);
        });

        it('P2: of a folder that is trusted from now on is a new one, and the old one goes with its sessions', async () => {
            const [before] = locks();
            const cli = await connect();
            await select('secret.ts', 'before');
            await eventually('the selection', () => cli.received.some(({ params }) => params?.['text'] === 'before'));
            await tell({ isTrusted: true, openFiles: [] });
            const [lock] = await eventually('the new lock', () => locks().some(({ isTrusted }) => isTrusted) && locks());
            expect(locks()).to.have.length(1);
            expect(lock.file).not.to.equal(before.file);
            expect(lock.headers.Authorization).not.to.equal(before.headers.Authorization);
            await select('secret.ts', 'after');
            expect(await cli.call('get_selection')).to.include({ text: '', filePath: '' });
            await eventually('the end of the session', () => page.state?.status.connections.length === 0);
            expect((await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }, {}, before)).status).to.equal(401);
            expect(cli.received.map(({ params }) => params?.['text'])).not.to.include('after');
        });

        it('P2: that was replaced keeps its session until the open diff is answered', async () => {
            const [before] = locks();
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'new\n');
            const id = await shown();
            await tell({ isTrusted: true });
            await eventually('the new lock', () => locks().every(({ file: lock }) => lock !== before.file));
            expect((await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }, {}, before)).status).to.equal(404);
            await connection.service.acceptReview(id, { revision: PROPOSAL });
            expect(await answer).to.include({ success: true, result: 'SAVED' });
            await eventually('the end of the session', () => page.state?.status.connections.length === 0);
        });

        it('P2: of a trusted folder stays, with its session, while a page that is loaded does not know the trust yet', async () => {
            await tell({ isTrusted: true });
            const [before] = await eventually('the trust', () => locks().some(({ isTrusted }) => isTrusted) && locks());
            const cli = await connect();
            const other = new TestPage();
            const second = backend.connect(other);
            await second.service.hello(backend.window(other, { windowId: 'window-2' }));
            await tell({ openFiles: [] }, second);
            connection.disconnect();
            page = new TestPage();
            connection = backend.connect(page);
            await hello();
            await tell({ openFiles: [] });
            await tell({ isTrusted: true });
            await tell({ isTrusted: true }, second);
            // Longer than a session stays whose lock is replaced.
            await new Promise(resolve => setTimeout(resolve, 1_500));
            expect(locks()).to.deep.equal([before]);
            fs.mkdirSync(file('added'));
            await hello({ roots: [backend.host.homeFolder, file('added')].map(folder => FileUri.create(folder).toString()) });
            expect(locks()).to.have.length(2).and.to.deep.include(before);
            expect(await cli.call('get_selection')).to.include({ filePath: '' });
        });

        it('goes with the window, and the socket with the backend', async () => {
            const [{ socketPath }] = locks();
            await hello({ enabled: false });
            expect(locks()).to.deep.equal([]);
            await backend.servers.stop();
            expect(fs.existsSync(socketPath)).to.equal(false);
        });

        it('P3: names a socket in a short folder where the temporary one has a long path', async () => {
            const host = new TestHost();
            Object.defineProperty(host, 'temporaryFolder', { value: path.join(host.temporaryFolder, 'x'.repeat(100)) });
            await backend.stop();
            await start(host);
            const [{ socketPath }] = locks();
            expect(Buffer.byteLength(socketPath)).to.be.at.most(107);
            await connect();
        });

        it('P16: of a socket that somebody has removed is replaced by one with a new socket; who is connected gets the answer', async () => {
            const [before] = locks();
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'new\n');
            const id = await shown();
            fs.rmSync(path.dirname(before.socketPath), { recursive: true });
            const [lock] = await eventually('the new lock', () => locks().some(({ file: name }) => name !== before.file) && locks());
            expect(lock.headers.Authorization).not.to.equal(before.headers.Authorization);
            expect([path.dirname(lock.socketPath), lock.socketPath].map(name => fs.statSync(name).mode & 0o777)).to.deep.equal([
                0o700, 0o600
            ]);
            expect(await (await connect(lock)).call('get_selection')).to.include({ text: '' });
            await connection.service.acceptReview(id, { revision: PROPOSAL });
            expect(await answer).to.include({ success: true, result: 'SAVED' });
        });

        it('P3: a backend that starts removes no socket, though it refuses: another kernel may have a backend that listens there', async () => {
            const refusing = path.join(path.dirname(locks()[0].socketPath), '1-00000000.sock');
            const script = `require('net').createServer().listen(${JSON.stringify(refusing)}, () => process.kill(process.pid, 'SIGKILL'))`;
            spawnSync(process.execPath, ['-e', script]);
            const other = new TestBackend(backend.host);
            const otherPage = new TestPage();
            await other.connect(otherPage).service.hello(other.window(otherPage));
            expect(fs.existsSync(refusing)).to.equal(true);
            await other.servers.stop();
        });
    });

    it('serves the CLI, and tells its tools', async () => {
        const cli = await connect();
        const { tools } = await cli.client.listTools();
        expect(tools.map(({ name }) => name)).to.deep.equal([
            'open_diff',
            'close_diff',
            'get_selection',
            'get_diagnostics',
            'update_session_name'
        ]);
        await eventually('the status', () => page.state?.status.connections.some(({ displayName }) => displayName === 'Copilot CLI'));
    });

    it('P5: answers the question for a newer protocol with an error of JSON-RPC and the status 200', async () => {
        const asked = await post({ jsonrpc: '2.0', id: 7, method: 'server/discover', params: {} });
        expect(asked.status).to.equal(200);
        expect(asked.received).to.contain('"id":7').and.to.contain('-32601');
        expect(asked.received.toLowerCase()).not.to.contain('mcp-session-id');
    });

    describe('open_diff', () => {
        it('P7: waits for the user, and answers SAVED or REJECTED', async () => {
            const cli = await connect();
            const saved = cli.openDiff(file('a.txt'), 'new\n');
            await connection.service.acceptReview(await shown(), { revision: PROPOSAL });
            expect(await saved).to.include({ success: true, result: 'SAVED' });
            const rejected = cli.openDiff(file('b.txt'), 'new\n');
            await connection.service.rejectReview(await shown(2));
            expect(await rejected).to.include({ success: true, result: 'REJECTED' });
        });

        it('P8: is ended by close_diff, also while another large proposal waits', async () => {
            const cli = await connect();
            const large = 'x'.repeat(5 * 1024 * 1024);
            const first = cli.openDiff(file('a.txt'), large, 'first');
            await shown();
            const second = cli.openDiff(file('b.txt'), large, 'second');
            await shown(2);
            expect(await cli.call('close_diff', { tab_name: 'first' })).to.include({ success: true, already_closed: false });
            expect(await first).to.include({ result: 'REJECTED' });
            expect(await cli.call('close_diff', { tab_name: 'first' })).to.include({ success: true, already_closed: true });
            await connection.service.rejectReview(page.shown[1].id);
            await second;
        });

        it('P13: ends when its CLI waits no longer, and the edits are kept', async () => {
            const cli = await connect();
            const limit = new AbortController();
            const params = {
                name: 'open_diff',
                arguments: { original_file_path: file('a.txt'), new_file_contents: 'new', tab_name: 'tab' }
            };
            const call = cli.client.callTool(params, undefined, { signal: limit.signal }).catch(() => 'given up');
            const id = await shown();
            await connection.service.saveReview(saveOf(id, 'edited'));
            limit.abort();
            expect(await call).to.equal('given up');
            await eventually('the diff to end', () => page.state?.reviews.length === 0);
            expect(await connection.service.acceptReview(id, { revision: PROPOSAL })).to.deep.equal({ result: 'late', how: 'closed' });
            await eventually('the kept edits', () => page.state?.keptEdits.some(({ reason }) => reason === 'ended'));
        });

        it('P13: leaves no diff behind if its CLI is killed', async () => {
            const cli = await connect();
            void cli.openDiff(file('a.txt'), 'new\n').catch(() => undefined);
            await shown();
            await eventually('the list', () => page.state?.reviews.length === 1);
            await cli.kill();
            await eventually('the end of the review', () => page.state?.reviews.length === 0);
            expect(page.state?.status.connections).to.deep.equal([]);
        });

        it('P9: fails with the reason if nobody can be asked', async () => {
            const cli = await connect();
            expect(await cli.openDiff(file('a.txt'), 'x'.repeat(16 * 1024 * 1024 + 1))).to.contain('is larger than');
        });

        it('P9: is not offered where reviews are not', async () => {
            await hello({ reviewOpen: 'never' });
            const { tools } = await (await connect()).client.listTools();
            expect(tools.map(({ name }) => name)).not.to.include('open_diff');
        });

        it('P9: a session keeps its tools: what is open when the user turns reviews off is ended by an answer in the terminal', async () => {
            const cli = await connect();
            const answer = cli.openDiff(file('a.txt'), 'proposed');
            await shown();
            await hello({ reviewOpen: 'never' });
            expect(await cli.call('close_diff', { tab_name: `tab of ${file('a.txt')}` })).to.include({
                success: true,
                already_closed: false
            });
            expect(await answer).to.include({ result: 'REJECTED' });
            await eventually('the end of the diff', () => page.state?.reviews.length === 0);
        });
    });

    it('P10: shares the active file and its selection, counted from 0', async () => {
        const cli = await connect();
        await select('a.ts', 'two');
        const expected = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 }, isEmpty: false };
        await eventually('the selection', () => cli.received.some(({ params }) => params?.['text'] === 'two'));
        expect(await cli.call('get_selection')).to.deep.equal({
            text: 'two',
            filePath: file('a.ts'),
            fileUrl: FileUri.create(file('a.ts')).toString(),
            selection: expected
        });
        await tell({ openFiles: [] });
        await eventually('its end', () => cli.received.at(-1)?.params?.['filePath'] === '');
        expect(await cli.call('get_selection')).to.include({ text: '', filePath: '' });
    });

    it('P12: reads the problems of the page, and does nothing with the name of the session', async () => {
        page.diagnostics = [{ uri: 'file:///a.ts', diagnostics: [] }];
        const cli = await connect();
        expect(await cli.call('get_diagnostics')).to.deep.equal(page.diagnostics);
        expect(await cli.call('update_session_name', { name: 'my secret prompt' })).to.deep.equal({ success: true });
        expect(JSON.stringify(backend.logger.lines)).not.to.contain('my secret prompt');
    });

    describe('of two windows with one folder', () => {
        let other: TestPage;

        /** A CLI that says this pid, as the system describes it. */
        function runsIn(pid: number, port: number | undefined, changes: Partial<RunningProcess> = {}): void {
            const processes = new LinuxProcessTable();
            const variables = { THEIA_COMPANION_PORT: String(port) };
            const known = { pid, parent: 1, command: ['/bin/copilot'], variables, folder: backend.host.homeFolder, age: 1, ...changes };
            Object.assign(processes, { details: async () => known, startTime: () => 'boot/1' });
            Object.assign(backend.container.get<ProcessTable>(ProcessTable), processes);
        }

        const isIn = ({ state }: TestPage): boolean => (state?.status.connections.length ?? 0) > 0;

        beforeEach(async () => {
            other = new TestPage();
            await backend.connect(other).service.hello(backend.window(other, { windowId: 'window-2' }));
        });

        it('P6: belongs to the one whose terminal it runs in', async () => {
            runsIn(4711, backend.windows.serverFor('window-1')?.port);
            await connect(locks()[0], 4711);
            await eventually('the CLI', () => isIn(page));
            expect(isIn(other)).to.equal(false);
        });

        it('P6: believes no pid of a program that is not the CLI in that folder', async () => {
            for (const changes of [{ command: ['/bin/sleep'] }, { folder: '/elsewhere' }]) {
                runsIn(4711, backend.windows.serverFor('window-1')?.port, changes);
                const cli = await connect(locks()[0], 4711);
                await eventually('the CLI in the window that had the focus last', () => isIn(other));
                await cli.end();
                await eventually('its end', () => !isIn(other));
            }
            expect(isIn(page)).to.equal(false);
        });
    });

    it('P11: puts files and lines into the prompt of its CLI, and nothing while that does not listen', async () => {
        const cli = await connect();
        const [session] = await eventually('its stream', () => {
            const sessions = backend.container.get(Windows).sessions();
            return sessions.some(({ state }) => state === 'streaming') && sessions;
        });
        expect(session.mention?.([{ path: file('a.ts'), lines: { first: 2, last: 3 } }, { path: file('b.ts') }])).to.equal(true);
        const [first, second] = [await cli.next('add_file_reference'), await cli.next('add_file_reference')];
        const selection = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
        expect(first.params).to.deep.include({ filePath: file('a.ts'), selection });
        expect(second.params).to.deep.include({ filePath: file('b.ts'), selection: null });
        await session.close();
        expect(session.mention?.([{ path: file('b.ts') }])).to.equal(false);
    });

    it('P14: the diagnosis asks the server on its socket, and says that a folder below does not connect', async () => {
        const below = file('below');
        fs.mkdirSync(below);
        const steps = async (folder: string): Promise<DiagnosisStep[]> => {
            const terminal = TestTerminal.open(backend.host, folder, {});
            const { clis: all } = await connection.service.diagnose(terminal.pid);
            await terminal.close();
            return all.find(({ cliId }) => cliId === 'copilot')?.steps ?? [];
        };
        const [{ socketPath }] = locks();
        const here = await steps(backend.host.homeFolder);
        expect(here.find(({ id }) => id === 'handshake')?.found).to.deep.equal([socketPath]);
        expect(here.filter(({ verdict }) => verdict === 'failure')).to.deep.equal([]);
        const there = (await steps(below)).filter(({ verdict }) => verdict === 'failure');
        expect(there.map(({ id, command }) => [id, command])).to.deep.equal([['workspace.below', `cd '${backend.host.homeFolder}'`]]);
    });

    it('says what to do if it cannot listen', async () => {
        await backend.stop();
        const host = new TestHost();
        fs.writeFileSync(path.join(host.temporaryFolder, `theia-cli-companion-${host.uid}`), '');
        await start(host);
        expect(locksOrNone()).to.deep.equal([]);
        const [problem] = backend.container.get(Problems).of('window-1');
        expect(problemText(problem)).to.contain('Copilot CLI').and.to.contain('mv ');
    });

    function locksOrNone(): string[] {
        const folder = backend.host.home('.copilot');
        return fs.existsSync(folder) ? fs.readdirSync(path.join(folder, 'ide')) : [];
    }
});
