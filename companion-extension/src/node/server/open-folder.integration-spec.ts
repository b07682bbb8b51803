// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync } from 'fs';
import * as path from 'path';
import { restore } from 'sinon';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { IdeContext } from '../../common/companion-protocol';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { passTime } from '../test/pass-time';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';
import { OWNER_ABSENCE_MS } from './window';

const NOTHING: IdeContext = { workspaceState: { openFiles: [] } };

describe('A window in which another folder is opened', () => {
    let backend: TestBackend;
    let connection: TestConnection;
    /** What happens while the discovery files are written. */
    let publishing: () => Promise<void>;
    let sequence: number;
    const clis: TestCli[] = [];

    beforeEach(() => {
        backend = new TestBackend();
        ['a', 'a/sub', 'b'].forEach(name => mkdirSync(backend.host.home(name)));
        publishing = async () => undefined;
        sequence = 0;
        const files = backend.container.get(DiscoveryFiles);
        const publish = files.publish.bind(files);
        files.publish = async subject => {
            const complete = await publish(subject);
            await publishing();
            return complete;
        };
    });

    afterEach(async () => {
        publishing = async () => undefined;
        restore();
        await Promise.all(clis.splice(0).map(cli => cli.disconnect()));
        await backend.stop();
    });

    /** A page that is loaded, as every "Open Folder" loads it. */
    async function load(roots: readonly string[], windowId = 'window-1'): Promise<TestConnection> {
        const page = new TestPage();
        // The page before is gone, whatever its connection says.
        page.answers = false;
        const loaded = backend.connect(page);
        await loaded.service.hello(backend.window(page, { windowId, roots: urisOf(roots) }));
        return loaded;
    }

    function urisOf(names: readonly string[]): string[] {
        return names.map(name => FileUri.create(backend.host.home(name)).toString());
    }

    /** What a page says of a file that it shows. */
    async function share(file: string, isTrusted: boolean | undefined, from = connection): Promise<IdeContext> {
        const openFiles = [{ path: backend.host.home(file), timestamp: 1, isActive: true, selectedText: `selected in ${file}` }];
        const context: IdeContext = { workspaceState: { openFiles, ...(isTrusted === undefined ? {} : { isTrusted }) } };
        await from.service.updateContext({ sequence: ++sequence, context });
        return context;
    }

    async function connect(windowId?: string): Promise<TestCli> {
        const { port, token } = backend.discovered(windowId);
        const cli = await TestCli.connect(port, token);
        clis.push(cli);
        return cli;
    }

    async function nextContext(cli: TestCli): Promise<unknown> {
        return (await cli.next('ide/contextUpdate')).params;
    }

    it('a CLI of the new folder gets nothing of the old one, from the moment it can find the server', async () => {
        connection = await load(['a']);
        await share('a/secret.txt', true);
        let early: TestCli | undefined;
        publishing = async () => {
            early = await connect();
            expect(await early.settled()).to.deep.equal([]);
        };
        connection = await load(['b']);
        const later = await connect();
        expect(await later.settled()).to.deep.equal([]);
        const context = await share('b/file.txt', undefined);
        expect(await nextContext(early as TestCli), 'without the trust of the old folder').to.deep.equal(context);
        expect(await nextContext(later)).to.deep.equal(context);
    });

    it('a CLI of the old folder gets an empty context, and nothing of the new folder until the old one is open again', async () => {
        connection = await load(['a']);
        const cli = await connect();
        await share('a/file.txt', true);
        await nextContext(cli);
        connection = await load(['b']);
        expect(await nextContext(cli)).to.deep.equal(NOTHING);
        await share('b/secret.txt', true);
        expect(await cli.settled()).to.deep.equal([]);
        connection = await load(['a']);
        const back = await share('a/file.txt', undefined);
        expect(await nextContext(cli), 'without the trust of the folder between').to.deep.equal(back);
    });

    it('a CLI in a folder within the one that is opened belongs to it', async () => {
        connection = await load(['a/sub']);
        const cli = await connect();
        await share('a/sub/file.txt', true);
        await nextContext(cli);
        connection = await load(['a']);
        expect(await nextContext(cli)).to.deep.equal(NOTHING);
        const context = await share('a/file.txt', false);
        expect(await nextContext(cli)).to.deep.equal(context);
    });

    it('folders in another order change nothing', async () => {
        connection = await load(['a', 'b']);
        const cli = await connect();
        const context = await share('a/file.txt', true);
        await nextContext(cli);
        connection = await load(['b', 'a']);
        expect(await cli.settled()).to.deep.equal([]);
        expect(await nextContext(await connect())).to.deep.equal(context);
    });

    it('adding a folder takes no file from any CLI, but CLIs that connect later do not get the trust of fewer folders', async () => {
        connection = await load(['a']);
        const cli = await connect();
        const context = await share('a/file.txt', true);
        await nextContext(cli);
        connection = await load(['a', 'b']);
        expect(await cli.settled()).to.deep.equal([]);
        const { openFiles } = context.workspaceState ?? {};
        expect(await nextContext(await connect())).to.deep.equal({ workspaceState: { openFiles } });
    });

    it('a window without a folder that opens one is no exception', async () => {
        connection = await load([]);
        await share('a/loose.txt', true);
        connection = await load(['a']);
        expect(await (await connect()).settled()).to.deep.equal([]);
    });

    it('a window that opens a folder and takes over its CLIs from a closed one shares nothing of its previous folder', async () => {
        connection = await load(['a']);
        const cli = await connect();
        const other = await load(['b'], 'window-2');
        await share('b/secret.txt', true, other);
        connection.disconnect();
        passTime(OWNER_ABSENCE_MS);
        const device = await load(['a'], 'window-2');
        expect(await cli.settled()).to.deep.equal([]);
        const context = await share('a/file.txt', undefined, device);
        expect(await nextContext(cli)).to.deep.equal(context);
    });

    it('a review of the folder before is said to be outside', async () => {
        const state = async (folder: string): Promise<boolean[]> => {
            const page = new TestPage();
            connection = backend.connect(page);
            const { reviews } = await connection.service.hello(backend.window(page, { roots: urisOf([folder]) }));
            return reviews.map(({ outsideWorkspace }) => outsideWorkspace);
        };
        await state('a');
        const cli = await connect();
        await cli.openDiff(backend.host.home('a/file.txt'), 'new');
        connection.disconnect();
        expect(await state('a')).to.deep.equal([false]);
        connection.disconnect();
        expect(await state('b')).to.deep.equal([true]);
    });

    it('a folder that a CLI cannot read is listed for the others, is named, and belongs to the workspace', async () => {
        const [a, folder] = [backend.host.home('a'), backend.host.home('x%20y')];
        mkdirSync(folder);
        const page = new TestPage();
        await backend.connect(page).service.hello(backend.window(page, { roots: urisOf(['a', 'x%20y']) }));
        const listed = (cli: string): string[] => {
            const files = backend.host.temporary(cli, 'ide');
            return readdirSync(files).map(name => JSON.parse(readFileSync(path.join(files, name), 'utf8')).workspacePath);
        };
        expect(new Set(listed('qwen'))).to.deep.equal(new Set([`${a}:${folder}`]));
        expect(new Set(listed('gemini'))).to.deep.equal(new Set([a]));
        await eventually('the problem', () => page.state?.status.problems.length === 1);
        expect(page.state?.status.problems).to.deep.equal([{ code: 'root-left-out', cliName: 'Gemini CLI', root: folder, text: '%' }]);
        const cli = await connect();
        await cli.openDiff(path.join(folder, 'a.txt'), 'new');
        expect(page.shown.map(({ outsideWorkspace }) => outsideWorkspace)).to.deep.equal([false]);
    });

    it('a folder with as long a name as the system allows is opened', async () => {
        const long = Array.from({ length: 16 }, () => '文'.repeat(80));
        mkdirSync(backend.host.home(...long), { recursive: true });
        connection = await load([long.join('/')]);
        expect(backend.windows.serverFor('window-1')?.roots).to.deep.equal([backend.host.home(...long)]);
    });
});
