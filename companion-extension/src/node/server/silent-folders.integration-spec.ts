// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { problemText } from '../../common/problem-text';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { FileAccess } from '../host/file-access';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { FaultyBackend } from '../test/faulty-backend';
import { SilentFolders } from '../test/silent-folders';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

describe('A backend on a machine with faults, in file systems that do not answer', () => {
    let backend: FaultyBackend;
    let page: TestPage;
    FaultyBackend.forEachTest(made => ([backend, page] = [made, made.page]));

    it('a HOME that does not answer: nothing waits for it or piles up, Gemini CLI connects, and it recovers by itself', async () => {
        const { homeFolder, configurationFolder } = backend.host;
        // Less, and the files of Gemini CLI are late on a disk that is busy with other tests.
        backend.container.rebind(FileAccess).toConstantValue(new FileAccess(1_500));
        const silence = new SilentFolders([homeFolder, configurationFolder]);
        backend.atMending(() => silence.end());
        const { service } = backend.connect(page);
        const greet = async (): Promise<string[]> =>
            (page.state = await service.hello(backend.window(page, { roots: [] }))).status.problems.map(problemText);
        void backend.container.get(DiscoveryFiles).sweep();
        for (let count = 0; count < 3; count++) {
            const problems = (await greet()).join('\n');
            expect(problems).to.include('Qwen Code cannot connect').and.to.include('does not answer');
            expect(problems).to.include('Qwen Code may edit files without asking');
            expect(problems).not.to.include('Gemini CLI cannot connect');
            expect(await service.findCommand('gemini-cli')).not.to.have.property('ideModeOff');
        }
        expect(fs.readdirSync(backend.host.temporary('gemini', 'ide'))).not.to.deep.equal([]);
        backend.container.get(DiscoveryFiles).removeSync();
        expect(silence.blocking).to.deep.equal([]);
        expect(silence.waiting).to.be.within(1, 2);
        await service.hello(backend.window(page, { roots: [], enabled: false }));
        await greet();
        silence.end();
        await backend.expectRecovery();
    });

    it('a HOME that does not answer: terminals have the defaults of Qwen Code if those are elsewhere', async () => {
        const { homeFolder } = backend.host;
        fs.mkdirSync(path.join(homeFolder, '.qwen', 'ide'), { recursive: true, mode: 0o700 });
        const silence = new SilentFolders([homeFolder]);
        backend.atMending(() => silence.end());
        void backend.container.get(DiscoveryFiles).sweep();
        await backend.container.get(TerminalEnvironment).prepare();
        expect(backend.defaultsOfQwen()).to.match(/qwen-defaults-ask\.json$/);
    });

    it('a slow HOME: terminals have the defaults of Qwen Code, however many old files there are', async () => {
        const { homeFolder, variables } = backend.host;
        Object.assign(backend.host, { configurationFolder: path.join(homeFolder, '.theia') });
        variables['THEIA_CONFIG_DIR'] = backend.host.configurationFolder;
        // Longer than one access takes on a busy disk, and shorter than all together.
        backend.container.rebind(FileAccess).toConstantValue(new FileAccess(5_000));
        const locks = path.join(homeFolder, '.qwen', 'ide');
        fs.mkdirSync(locks, { recursive: true, mode: 0o700 });
        for (let port = 1; port <= 40; port++) {
            fs.writeFileSync(path.join(locks, `${port}.lock`), '{}');
        }
        const { lstat } = fs.promises;
        const slow = async (file: fs.PathLike): Promise<fs.Stats> => {
            await new Promise(resolve => setTimeout(resolve, String(file).startsWith(locks) ? 150 : 0));
            return lstat(file);
        };
        backend.replace(fs.promises, 'lstat', slow as typeof fs.promises.lstat);
        const sweep = backend.container.get(DiscoveryFiles).sweep();
        await backend.container.get(TerminalEnvironment).prepare();
        expect(backend.defaultsOfQwen()).to.match(/qwen-defaults-ask\.json$/);
        await sweep;
        expect(backend.logger.lines).to.deep.equal([]);
    });

    it('a file that does not answer: pages learn where links outside its folder lead', async () => {
        const { host } = backend;
        const silent = host.home('silent');
        fs.mkdirSync(silent);
        fs.writeFileSync(host.temporary('notes.txt'), '');
        const { service } = backend.connect(page);
        await service.hello(backend.window(page, { roots: [silent, host.temporaryFolder].map(root => FileUri.create(root).toString()) }));
        const silence = new SilentFolders([silent]);
        backend.atMending(() => silence.end());
        const unanswered = service.realPaths([path.join(silent, 'a.txt')]);
        expect(await service.realPaths([host.temporary('notes.txt')])).to.deep.equal([host.temporary('notes.txt')]);
        await eventually('the look that gets no answer', () => silence.waiting === 1);
        silence.end();
        expect(await unanswered).to.deep.equal([undefined]);
    });

    it('a workspace on a file system that does not answer: the window starts, and a diff is refused with the reason', async () => {
        await backend.hello();
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        const slow = backend.host.home('slow');
        let looks = 0;
        for (const name of ['stat', 'realpath'] as const) {
            const original = fs.promises[name] as (file: string) => Promise<unknown>;
            const silent = (file: string): Promise<unknown> => {
                looks += file.startsWith(slow) ? 1 : 0;
                return file.startsWith(slow) ? new Promise(() => undefined) : original(file);
            };
            backend.replace(fs.promises, name, silent as never);
        }
        const another = new TestPage();
        const state = await backend
            .connect(another)
            .service.hello(backend.window(another, { windowId: 'window-2', roots: [FileUri.create(slow).toString()] }));
        expect(state.status.state).to.equal('ready');
        looks = 0;
        const { isError, content } = await cli.openDiff(`${slow}/a.txt`, 'new');
        expect(isError).to.equal(true);
        expect(JSON.stringify(content)).to.include('does not answer');
        // Each attempt holds one of Node's four threads, so there is only one.
        const again = await cli.openDiff(`${slow}/b.txt`, 'new');
        expect(JSON.stringify(again.content)).to.include('does not answer');
        expect(looks).to.equal(1);
        await cli.disconnect();
    });

    it('HOME, a folder of the PATH and a workspace do not answer: another window has its files, its CLI a diff, its terminals their variables', async () => {
        backend.container.rebind(FileAccess).toConstantValue(new FileAccess(500));
        const { homeFolder, variables } = backend.host;
        const [tools, slow] = [backend.host.temporary('tools'), backend.host.temporary('slow')];
        const healthy = backend.host.temporary('healthy');
        [tools, slow, healthy].forEach(folder => fs.mkdirSync(folder));
        variables['PATH'] = tools;
        await backend.container.get(TerminalEnvironment).prepare();
        const silence = new SilentFolders([homeFolder, tools, slow]);
        backend.atMending(() => silence.end());
        const { service } = backend.connect(page);
        await service.hello(backend.window(page, { roots: [FileUri.create(slow).toString()] }));
        expect(await service.findCommand('gemini-cli')).to.deep.equal({ found: false });

        const another = new TestPage();
        const snapshot = backend.window(another, { windowId: 'window-2', roots: [FileUri.create(healthy).toString()] });
        another.state = await backend.connect(another).service.hello(snapshot);
        expect(another.state.status.problems.map(problemText).join()).not.to.include('Gemini CLI cannot connect');
        const server = backend.windows.serverFor('window-2');
        expect(server?.roots).to.deep.equal([healthy]);
        const ide = backend.host.temporary('gemini', 'ide');
        const name = fs.readdirSync(ide).find(file => file.endsWith(`-${server?.port}.json`)) ?? '';
        const { port, authToken } = JSON.parse(fs.readFileSync(path.join(ide, name), 'utf8')) as { port: number; authToken: string };
        const cli = await TestCli.connect(port, authToken);
        void cli.openDiff(path.join(healthy, 'a.txt'), 'new');
        await eventually('the diff', () => another.shown.length === 1);
        await cli.disconnect();
        expect(backend.defaultsOfQwen()).to.match(/qwen-defaults-ask\.json$/);
        expect(silence.blocking).to.deep.equal([]);
        expect(silence.waiting).to.be.at.most(2);
    });
});
