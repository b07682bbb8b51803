// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTable } from '../host/process-table';
import { ClaudeClient, readLocks } from '../test/claude-client';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

/** As on macOS and Windows, or with a CLI in another namespace of processes. */
describe('A CLI of whose process the system says nothing, and which does not say its folder', () => {
    let backend: TestBackend;
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

    /** A window with context; the newest one has the focus. */
    async function open(windowId: string, folder: string, itsPage = new TestPage()): Promise<TestConnection> {
        fs.mkdirSync(backend.host.home(folder), { recursive: true });
        const connection = backend.connect(itsPage);
        const roots = [FileUri.create(backend.host.home(folder)).toString()];
        itsPage.state = await connection.service.hello(backend.window(itsPage, { windowId, roots }));
        const file = { path: backend.host.home(folder, 'f.txt'), timestamp: 1, isActive: true, selectedText: `text of ${folder}` };
        await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles: [file] } } });
        return connection;
    }

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
        expect((await cli.next('selection_changed')).params).to.include({ text: 'text of project' });
    });

    it('W5: belongs to the window that had the focus last if all have the same folders', async () => {
        await open('window-1', 'project');
        await open('window-2', 'project', page);
        await connect();
        await eventually('the connection', () => page.state?.status.connections.length === 1);
    });
});
