// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { restore } from 'sinon';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { IdeContextFile, WindowSnapshot } from '../../common/companion-protocol';
import { ClaudeClient, readLocks } from '../test/claude-client';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { OWNER_ABSENCE_MS } from './window';

const FILE: IdeContextFile = {
    path: '/w/plan.txt',
    timestamp: 1,
    isActive: true,
    cursor: { line: 2, character: 3 },
    selectedText: 'SECRET',
    selection: { start: { line: 2, character: 1 }, end: { line: 2, character: 3 } }
};
const CONTEXT = { workspaceState: { openFiles: [FILE], isTrusted: true } };
/** What stays when the page has gone. */
const PATHS = { workspaceState: { openFiles: [{ path: FILE.path, timestamp: 1, isActive: true }], isTrusted: true } };

describe('What a page has shared, after it has gone', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let window: Pick<WindowSnapshot, 'roots'>;
    const clis: TestCli[] = [];

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        // The clients run in the folder of the tests.
        const roots = [backend.host.homeFolder, process.cwd()].map(folder => FileUri.create(folder).toString());
        window = { roots };
        await connection.service.hello(backend.window(page, window));
        await connection.service.updateContext({ sequence: 1, context: CONTEXT });
    });

    afterEach(async () => {
        restore();
        await Promise.all(clis.splice(0).map(cli => cli.disconnect()));
        await backend.stop();
    });

    async function connect(): Promise<TestCli> {
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        clis.push(cli);
        return cli;
    }

    async function nextFile(cli: TestCli): Promise<IdeContextFile | undefined> {
        const { params } = await cli.next('ide/contextUpdate');
        return (params as typeof CONTEXT).workspaceState.openFiles[0];
    }

    it('S16: after 10 s cursor and selection are taken back, and no new session gets them', async () => {
        const cli = await connect();
        expect((await nextFile(cli))?.selectedText).to.equal('SECRET');
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS);
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal(PATHS);
        expect((await (await connect()).next('ide/contextUpdate')).params).to.deep.equal(PATHS);
    });

    it('a CLI of the other family learns of it, too', async () => {
        const cli = await ClaudeClient.connect(readLocks(backend.host.homeFolder)[0], 'claude-code', backend.host.homeFolder);
        expect((await cli.next('selection_changed')).params).to.include({ text: 'SECRET' });
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS);
        expect((await cli.next('selection_changed')).params).to.deep.include({ text: '', filePath: FILE.path });
        cli.kill();
    });

    it('stays during a reload, which takes less', async () => {
        const cli = await connect();
        await nextFile(cli);
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS - 1_000);
        // Longer than between two looks.
        await new Promise(resolve => setTimeout(resolve, 100));
        const reloaded = new TestPage();
        connection = backend.connect(reloaded);
        await connection.service.hello(backend.window(reloaded, window));
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('a page that comes back shares only what it says then', async () => {
        const cli = await connect();
        await nextFile(cli);
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS);
        await nextFile(cli);
        connection = backend.connect(page);
        await connection.service.hello(backend.window(page, window));
        await connection.service.updateContext({ sequence: 2, context: { workspaceState: { openFiles: [] } } });
        expect(await nextFile(cli)).to.equal(undefined);
        expect((await cli.settled()).length).to.equal(0);
    });

    it('a window that takes over has shared nothing yet: the selection ends all the same', async () => {
        const cli = await connect();
        await nextFile(cli);
        const other = new TestPage();
        await backend.connect(other).service.hello(backend.window(other, { ...window, windowId: 'window-2' }));
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS);
        expect((await nextFile(cli))?.selectedText).to.equal(undefined);
    });

    it('a window that had taken over has gone as well', async () => {
        const cli = await connect();
        await nextFile(cli);
        const other = new TestPage();
        const second = backend.connect(other);
        await second.service.hello(backend.window(other, { ...window, windowId: 'window-2' }));
        connection.disconnect();
        const takeBack = passTime(OWNER_ABSENCE_MS);
        await nextFile(cli);
        await second.service.updateContext({ sequence: 1, context: CONTEXT });
        expect((await nextFile(cli))?.selectedText).to.equal('SECRET');
        second.disconnect();
        takeBack();
        passTime(2 * OWNER_ABSENCE_MS);
        expect((await nextFile(cli))?.selectedText).to.equal(undefined);
    });
});
