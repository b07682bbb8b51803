// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess, fork } from 'child_process';
import { once } from 'events';
import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTable } from '../host/process-table';
import { ClaudeClient, readLocks } from '../test/claude-client';
import { TestBackend } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

let backend: TestBackend;

/** A window with context; the newest one has the focus. */
async function open(windowId: string, folder: string, itsPage = new TestPage()): Promise<void> {
    fs.mkdirSync(backend.host.home(folder), { recursive: true });
    const connection = backend.connect(itsPage);
    const roots = [FileUri.create(backend.host.home(folder)).toString()];
    itsPage.state = await connection.service.hello(backend.window(itsPage, { windowId, roots }));
    const file = { path: backend.host.home(folder, 'f.txt'), timestamp: 1, isActive: true, selectedText: `text of ${windowId}` };
    await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles: [file] } } });
}

describe('A CLI of the Claude family whose terminal names a window', () => {
    let pages: Record<string, TestPage>;
    let cli: ChildProcess;

    beforeEach(() => {
        backend = new TestBackend();
        pages = { 'window-1': new TestPage(), 'window-2': new TestPage() };
    });

    afterEach(async () => {
        cli.kill('SIGKILL');
        await backend.stop();
    });

    /** @returns what it is told, and the windows that show its diff */
    async function run(folder: string): Promise<{ text: unknown; shownIn: string[] }> {
        const cwd = backend.host.home(folder);
        fs.mkdirSync(cwd, { recursive: true });
        const [{ port, authToken }] = readLocks(backend.host.homeFolder);
        const env = { ...process.env, THEIA_COMPANION_PORT: String(backend.windows.serverFor('window-1')?.port) };
        const program = path.join(__dirname, '../test/claude-program.js');
        cli = fork(program, [String(port), authToken, path.join(cwd, 'a.txt')], { cwd, env });
        const [{ text }] = (await once(cli, 'message')) as [{ text: unknown }];
        const shownIn = (): string[] => Object.keys(pages).filter(id => pages[id].shown.length > 0);
        await eventually('the diff', () => shownIn().length > 0);
        return { text, shownIn: shownIn() };
    }

    it('W5: belongs to the window that has its folder, if the other one has not', async () => {
        await open('window-1', 'project', pages['window-1']);
        await open('window-2', 'other', pages['window-2']);
        expect(await run('other')).to.deep.equal({ text: 'text of window-2', shownIn: ['window-2'] });
    });

    it('W5: belongs to the window that its terminal names if both have its folder, or none has', async () => {
        await open('window-1', 'project', pages['window-1']);
        await open('window-2', 'project', pages['window-2']);
        expect((await run('project')).text).to.equal('text of window-1');
        cli.kill('SIGKILL');
        expect((await run('elsewhere')).text).to.equal('text of window-1');
    });
});

/** As on macOS and Windows, or with a CLI in another namespace of processes. */
describe('A CLI of whose process the system says nothing, and which does not say its folder', () => {
    let page: TestPage;
    const clis: ClaudeClient[] = [];

    beforeEach(() => {
        backend = new TestBackend();
        backend.container.rebind<ProcessTable>(ProcessTable).toConstantValue(new LinuxProcessTable('/no/proc'));
        page = new TestPage();
    });

    afterEach(async () => {
        clis.splice(0).forEach(cli => cli.kill());
        await backend.stop();
    });

    async function connect(): Promise<ClaudeClient> {
        const cli = await ClaudeClient.connect(readLocks(backend.host.homeFolder)[0], 'opencode');
        clis.push(cli);
        return cli;
    }

    it('W5: is refused, and gets nothing, if windows have different folders', async () => {
        await open('window-1', 'project', page);
        const other = new TestPage();
        await open('window-2', 'secret', other);
        const cli = await connect();
        await eventually('the refusal', () => cli.closed);
        expect(cli.reason).to.include('knows no window');
        expect(cli.received).to.deep.equal([]);
        expect([...page.shown, ...other.shown]).to.deep.equal([]);
    });

    it('W5: belongs to the only window, whatever its folders', async () => {
        await open('window-1', 'project', page);
        const cli = await connect();
        expect((await cli.next('selection_changed')).params).to.include({ text: 'text of window-1' });
    });

    it('W5: belongs to the window that had the focus last if all have the same folders', async () => {
        await open('window-1', 'project');
        await open('window-2', 'project', page);
        await connect();
        await eventually('the connection', () => page.state?.status.connections.length === 1);
    });
});
