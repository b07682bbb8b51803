// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { restore } from 'sinon';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WindowState } from '../../common/companion-protocol';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { OWNER_ABSENCE_MS } from './window';

describe('A window that gets the focus', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let state: WindowState;

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        connection = backend.connect(page);
        state = await connection.service.hello(backend.window(page));
    });
    afterEach(() => backend.stop());

    it('a window that gets the focus is answered with nothing if the page knows everything', async () => {
        expect(await connection.service.focus(state.sequence)).to.deep.equal({ links: [] });
    });

    it('a window that gets the focus is answered with the state that its page has missed, once', async () => {
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        await cli.openDiff(backend.host.home('a.txt'), 'new');
        await eventually('the state to be told', () => page.state?.reviews.length === 1);
        const missed = (await connection.service.focus(state.sequence)).state;
        expect(missed?.reviews.map(({ path }) => path)).to.deep.equal([backend.host.home('a.txt')]);
        expect(missed?.sequence).to.be.greaterThan(state.sequence);
        expect(await connection.service.focus(missed?.sequence ?? 0)).to.deep.equal({ links: [] });
        await cli.disconnect();
    });

    it('S16: a window that gets the focus is told which shared files are now links, or missing', async () => {
        const [notes, gone, plain] = ['notes.txt', 'gone.txt', 'plain.txt'].map(name => backend.host.home(name));
        [notes, gone, plain, backend.host.home('.env')].forEach(file => fs.writeFileSync(file, ''));
        const openFiles = [notes, gone, plain].map(path => ({ path, timestamp: 1 }));
        await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles } } });
        expect((await connection.service.focus(state.sequence)).links).to.deep.equal([]);
        fs.rmSync(notes);
        fs.symlinkSync(backend.host.home('.env'), notes);
        fs.rmSync(gone);
        expect((await connection.service.focus(state.sequence)).links).to.deep.equal([
            { path: notes, realPath: backend.host.home('.env') },
            { path: gone, realPath: undefined }
        ]);
    });

    it('a window that gets the focus must say hello if the window belongs to another page', async () => {
        const reloaded = new TestPage();
        page.answers = false;
        await backend.connect(reloaded).service.hello(backend.window(reloaded));
        const error = await connection.service.focus(state.sequence).then(
            () => undefined,
            (reason: Error) => reason
        );
        expect(error?.message).to.include('another page');
    });

    it('a window that gets the focus is published again if a root that is a link leads elsewhere, and its page is asked for the context', async () => {
        const root = backend.host.home('project');
        ['one', 'two'].forEach(name => fs.mkdirSync(backend.host.home(name)));
        fs.symlinkSync(backend.host.home('one'), root);
        await connection.service.hello(backend.window(page, { roots: [FileUri.create(root).toString()] }));
        const published = (): readonly string[] | undefined => backend.windows.serverFor('window-1')?.roots;
        expect(published()).to.deep.equal([backend.host.home('one')]);
        await connection.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles: [] } } });
        expect(page.contextRequests).to.equal(0);
        fs.rmSync(root);
        fs.symlinkSync(backend.host.home('two'), root);
        await connection.service.focus(0);
        await eventually('the other folder to be published', () => published()?.[0] === backend.host.home('two'));
        await eventually('the context of the other folder to be asked for', () => page.contextRequests > 0);
    });

    describe('while the owner of a server is away', () => {
        afterEach(() => restore());

        it('shows the reviews of that server from then on', async () => {
            const { port, token } = backend.discovered();
            const cli = await TestCli.connect(port, token);
            const others = ['window-2', 'window-3'].map(windowId => ({ windowId, shows: new TestPage() }));
            const connections = others.map(({ shows }) => backend.connect(shows));
            for (const [index, { windowId, shows }] of others.entries()) {
                await connections[index].service.hello(backend.window(shows, { windowId, focused: false }));
            }
            connection.disconnect();
            passTime(OWNER_ABSENCE_MS);
            for (const [index, { shows }] of others.entries()) {
                await connections[index].service.focus(0);
                await cli.openDiff(backend.host.home(`${index}.txt`), 'new');
                expect(shows.shown.map(({ path }) => path)).to.deep.equal([backend.host.home(`${index}.txt`)]);
            }
            await cli.disconnect();
        });
    });
});
