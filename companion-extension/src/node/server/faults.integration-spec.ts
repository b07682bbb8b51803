// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as http from 'http';
import * as path from 'path';
import { setFlagsFromString } from 'v8';
import { runInNewContext } from 'vm';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { problemText } from '../../common/problem-text';
import { DiscoveryFiles, DiscoveryFilesFactory } from '../discovery/discovery-files';
import { StaleDiscoveryFiles } from '../discovery/stale-discovery-files';
import { OneAtATime } from '../host/one-at-a-time';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { BackendProcess } from '../test/backend-process';
import { SilentFolders } from '../test/silent-folders';
import { TestBackend } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

/** Looks for the end of a problem more often than every 30 s. */
class QuickDiscoveryFiles extends DiscoveryFilesFactory {
    override create(): DiscoveryFiles {
        return new DiscoveryFiles({ ...this.options, timings: { debounce: 20, poll: 100 } });
    }
}

/** Tries again more often than every 30 s. */
class QuickTerminalEnvironment extends TerminalEnvironment {
    protected override readonly retryAfter = 50;
}

function failing(code: string): () => never {
    return () => {
        throw Object.assign(new Error(`${code}: no more of it`), { code });
    };
}

function noPort(this: http.Server): http.Server {
    const error = Object.assign(new Error('listen EADDRINUSE: no port is free'), { code: 'EADDRINUSE' });
    setImmediate(() => this.emit('error', error));
    return this;
}

/** Puts something else in the place of a function for a while. */
function replace<T extends object, K extends keyof T>(object: T, name: K, value: T[K]): () => void {
    const original = object[name];
    object[name] = value;
    return () => (object[name] = original);
}

describe('A backend on a machine with faults', () => {
    let backend: TestBackend;
    let page: TestPage;
    const restores: Array<() => void> = [];

    beforeEach(() => {
        backend = new TestBackend();
        backend.container.rebind(DiscoveryFilesFactory).to(QuickDiscoveryFiles).inSingletonScope();
        backend.container.rebind(TerminalEnvironment).to(QuickTerminalEnvironment).inSingletonScope();
        page = new TestPage();
    });

    afterEach(async () => {
        restores.splice(0).forEach(restore => restore());
        await backend.stop();
    });

    async function hello(): Promise<string[]> {
        page.state = await backend.connect(page).service.hello(backend.window(page));
        return page.state.status.problems.map(problemText);
    }

    /** As a new terminal has it. */
    function defaultsOfQwen(): string | null | undefined {
        const environment = backend.container.get(TerminalEnvironment);
        const variables = environment.variables({ port: 1, roots: [] }, { QWEN_CODE_SYSTEM_DEFAULTS_PATH: undefined });
        return variables['QWEN_CODE_SYSTEM_DEFAULTS_PATH'];
    }

    async function expectRecovery(): Promise<void> {
        const recovered = (): boolean => page.state?.status.state === 'ready' && page.state.status.problems.length === 0;
        await eventually('the problem to be gone from the status', recovered);
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    }

    it('no port: one sentence in the status, and it is tried again by itself', async () => {
        restores.push(replace(http.Server.prototype, 'listen', noPort as http.Server['listen']));
        const problems = await hello();
        expect(page.state?.status.state).to.equal('failed');
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include('could not be started').and.to.include('no port is free').and.to.include('tried again');
        restores.splice(0).forEach(restore => restore());
        await expectRecovery();
    });

    for (const [what, code] of [
        ['a full disk', 'ENOSPC'],
        ['a used-up quota', 'EDQUOT'],
        ['no file descriptor left', 'EMFILE']
    ]) {
        it(`${what}: one sentence for each CLI, no half-written file, and it recovers by itself`, async () => {
            restores.push(replace(fs.promises, 'open', failing(code)));
            const problems = await hello();
            expect(problems.filter(problem => problem.includes('Gemini CLI cannot connect'))).to.have.length(1);
            expect(problems.filter(problem => problem.includes('Qwen Code may edit files without asking'))).to.have.length(1);
            problems.forEach(problem => expect(problem).to.include(code));
            problems
                .filter(problem => problem.includes('cannot connect'))
                .forEach(problem => expect(problem).to.match(/Set (TMPDIR|QWEN_HOME)/));
            restores.splice(0).forEach(restore => restore());
            await expectRecovery();
            const names = fs.readdirSync(backend.host.folder, { recursive: true }) as string[];
            expect(names.filter(name => name.endsWith('.tmp'))).to.deep.equal([]);
        });
    }

    it('a read-only folder for temporary files: says so, and recovers by itself', async () => {
        restores.push(replace(fs.promises, 'mkdir', failing('EROFS') as typeof fs.promises.mkdir));
        const problems = await hello();
        expect(problems.join(' ')).to.include('could not be made').and.to.include('EROFS');
        restores.splice(0).forEach(restore => restore());
        await expectRecovery();
    });

    it('no folder for temporary files and no HOME: they are made', async () => {
        fs.rmSync(backend.host.temporaryFolder, { recursive: true });
        fs.rmSync(backend.host.homeFolder, { recursive: true });
        expect(await hello()).to.deep.equal([]);
        await expectRecovery();
    });

    it('a configuration folder that cannot be made: says what Qwen Code goes without, and recovers by itself', async () => {
        const { configurationFolder } = backend.host;
        fs.writeFileSync(configurationFolder, '');
        const problems = await hello();
        expect(problems).to.have.length(1);
        expect(problems[0]).to.include('Qwen Code may edit files without asking').and.to.include(configurationFolder);
        expect(defaultsOfQwen()).to.equal(undefined);
        fs.unlinkSync(configurationFolder);
        await expectRecovery();
        expect(fs.readFileSync(defaultsOfQwen() ?? '', 'utf8')).to.include('"approvalMode": "default"');
    });

    it('a HOME that does not answer: nothing waits for it, nothing piles up, Gemini CLI connects, and it recovers by itself', async () => {
        const { homeFolder, configurationFolder } = backend.host;
        backend.container.rebind(OneAtATime).toConstantValue(new OneAtATime(500));
        const silence = new SilentFolders([homeFolder, configurationFolder]);
        restores.push(() => silence.end());
        const { service } = backend.connect(page);
        const greet = async (): Promise<string[]> =>
            (page.state = await service.hello(backend.window(page, { roots: [] }))).status.problems.map(problemText);
        void backend.container.get(StaleDiscoveryFiles).sweep();
        for (let count = 0; count < 3; count++) {
            const problems = (await greet()).join('\n');
            expect(problems).to.include('Qwen Code cannot connect').and.to.include('does not answer');
            expect(problems).to.include('Qwen Code may edit files without asking');
            expect(problems).not.to.include('Gemini CLI cannot connect');
            expect(await service.getIdeModeOffers()).to.deep.equal([]);
        }
        expect(fs.readdirSync(backend.host.temporary('gemini', 'ide'))).not.to.deep.equal([]);
        backend.servers.removeFilesSync();
        expect(silence.blocking).to.deep.equal([]);
        expect(silence.waiting).to.be.within(1, 2);
        await service.hello(backend.window(page, { roots: [], enabled: false }));
        await greet();
        silence.end();
        await expectRecovery();
    });

    /** Lines of the log about this. */
    function logged(text: string): string[] {
        return backend.logger.lines.filter(line => line.includes(text));
    }

    it('a folder that others may write to: is in the log once when it is found and once when it is mended, by the command in the status', async () => {
        const folder = backend.host.temporary('gemini');
        fs.mkdirSync(folder);
        fs.chmodSync(folder, 0o777);
        const { service } = backend.connect(page);
        for (let count = 0; count < 3; count++) {
            page.state = await service.hello(backend.window(page));
        }
        const another = new TestPage();
        await backend.connect(another).service.hello(backend.window(another, { windowId: 'window-2' }));
        const problem = {
            text: `Gemini CLI cannot connect. Other users may write to the folder ${folder}. Take that right away.`,
            command: `chmod go-w '${folder}'`
        };
        expect(page.state?.status.problems).to.deep.equal([problem]);
        expect(logged(folder)).to.deep.equal([problemText(problem)]);
        execFileSync('/bin/sh', ['-c', problem.command]);
        await expectRecovery();
        await eventually('the end in the log', () => logged(folder).length > 1);
        expect(logged(folder)).to.deep.equal([problemText(problem), `No longer: ${problemText(problem)}`]);
    });

    it('HOME in a folder of another user below TMPDIR: says so in the status and in the log, with a command that helps', async () => {
        const { host } = backend;
        const shared = host.temporary('of-another-user');
        fs.mkdirSync(path.join(shared, 'home'), { recursive: true });
        Object.assign(host, { homeFolder: path.join(shared, 'home') });
        if (host.uid === 0) {
            fs.chownSync(shared, 12345, 12345);
        } else {
            Object.assign(host, { uid: (host.uid ?? 0) + 1 });
        }
        const problems = (await hello()).filter(problem => problem.includes('Qwen Code cannot connect'));
        expect(problems).to.have.length(1);
        expect(problems[0])
            .to.include(`The folder ${shared} belongs to another user`)
            .and.to.include('Run: mkdir -p "$HOME/.tmp" && export TMPDIR="$HOME/.tmp"');
        expect(logged('Qwen Code cannot connect')).to.deep.equal(problems);
    });

    it('a read-only HOME: each problem is in the log once, with path and cause, however often the window gets the focus', async () => {
        restores.push(replace(fs.promises, 'open', failing('EROFS')));
        const { service } = backend.connect(page);
        let problems: string[] = [];
        for (let count = 0; count < 3; count++) {
            page.state = await service.hello(backend.window(page));
            await service.rememberIdeModeOffer('gemini-cli', 'dismissed');
            problems = page.state.status.problems.map(problemText);
        }
        expect(problems.map(problem => /^(Gemini CLI|Qwen Code|You)/.exec(problem)?.[0])).to.have.members([
            'Gemini CLI',
            'Qwen Code',
            'Qwen Code',
            'You'
        ]);
        problems.forEach(problem => expect(problem).to.include(backend.host.folder).and.to.include('EROFS').and.to.include('Run: '));
        expect(logged('EROFS')).to.have.members(problems);
    });

    it('settings of Gemini CLI that cannot be read: are a problem until they can', async () => {
        const folder = backend.host.home('.gemini');
        fs.mkdirSync(folder);
        fs.writeFileSync(path.join(folder, 'settings.json'), '{ oops');
        const { service } = backend.connect(page);
        page.state = await service.hello(backend.window(page));
        expect(await service.getIdeModeOffers()).to.deep.equal([]);
        await eventually('the problem', () => page.state?.status.problems.length === 1);
        expect(page.state?.status.problems[0].text).to.include(path.join(folder, 'settings.json')).and.to.include('not valid JSON');
        fs.writeFileSync(path.join(folder, 'settings.json'), '{}');
        expect(await service.getIdeModeOffers()).to.have.length(1);
        await eventually('its end', () => page.state?.status.problems.length === 0);
        expect(logged('not valid JSON')).to.have.length(2);
    });

    it('no port: what a failed start has made is garbage, however often it is tried', async () => {
        const made: Array<WeakRef<DiscoveryFiles>> = [];
        class WatchedDiscoveryFiles extends QuickDiscoveryFiles {
            override create(): DiscoveryFiles {
                const files = super.create();
                made.push(new WeakRef(files));
                return files;
            }
        }
        backend.container.rebind(DiscoveryFilesFactory).to(WatchedDiscoveryFiles).inSingletonScope();
        restores.push(replace(http.Server.prototype, 'listen', noPort as http.Server['listen']));
        for (let count = 0; count < 3; count++) {
            await hello();
        }
        expect(made).to.have.length(3);
        setFlagsFromString('--expose-gc');
        const collectGarbage = runInNewContext('gc') as () => void;
        await eventually('nobody to hold them', () => {
            collectGarbage();
            return made.every(files => files.deref() === undefined);
        });
    });

    it('no port: is in the log once, however often it is tried', async () => {
        restores.push(replace(http.Server.prototype, 'listen', noPort as http.Server['listen']));
        await hello();
        await hello();
        expect(logged('no port is free').filter(line => !line.startsWith('Starting a server failed'))).to.have.length(1);
    });

    it('a HOME that does not answer: terminals have the defaults of Qwen Code where those lie elsewhere', async () => {
        const { homeFolder } = backend.host;
        fs.mkdirSync(path.join(homeFolder, '.qwen', 'ide'), { recursive: true, mode: 0o700 });
        const silence = new SilentFolders([homeFolder]);
        restores.push(() => silence.end());
        void backend.container.get(StaleDiscoveryFiles).sweep();
        await backend.container.get(TerminalEnvironment).prepare();
        expect(defaultsOfQwen()).to.match(/qwen-defaults-ask\.json$/);
    });

    it('a HOME that is slow: terminals have the defaults of Qwen Code, however many old files there are to look at', async () => {
        const { homeFolder, variables } = backend.host;
        Object.assign(backend.host, { configurationFolder: path.join(homeFolder, '.theia') });
        variables['THEIA_CONFIG_DIR'] = backend.host.configurationFolder;
        backend.container.rebind(OneAtATime).toConstantValue(new OneAtATime(400));
        const locks = path.join(homeFolder, '.qwen', 'ide');
        fs.mkdirSync(locks, { recursive: true, mode: 0o700 });
        for (let port = 1; port <= 20; port++) {
            fs.writeFileSync(path.join(locks, `${port}.lock`), '{}');
        }
        const { lstat } = fs.promises;
        const slow = async (file: fs.PathLike): Promise<fs.Stats> => {
            await new Promise(resolve => setTimeout(resolve, String(file).startsWith(locks) ? 50 : 0));
            return lstat(file);
        };
        restores.push(replace(fs.promises, 'lstat', slow as typeof fs.promises.lstat));
        const sweep = backend.container.get(StaleDiscoveryFiles).sweep();
        await backend.container.get(TerminalEnvironment).prepare();
        expect(defaultsOfQwen()).to.match(/qwen-defaults-ask\.json$/);
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
        restores.push(() => silence.end());
        const unanswered = service.realPath(path.join(silent, 'a.txt'));
        expect(await service.realPath(host.temporary('notes.txt'))).to.equal(host.temporary('notes.txt'));
        expect(silence.waiting).to.equal(1);
        silence.end();
        expect(await unanswered).to.equal(undefined);
    });

    it('a workspace on a file system that does not answer: the window starts, and a diff is refused with the reason', async () => {
        await hello();
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
            restores.push(replace(fs.promises, name, silent as never));
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
        // Each look holds a thread of which Node has four: there is no second one.
        const again = await cli.openDiff(`${slow}/b.txt`, 'new');
        expect(JSON.stringify(again.content)).to.include('does not answer');
        expect(looks).to.equal(1);
        await cli.disconnect();
    });
});

describe('A backend process', () => {
    let backend: BackendProcess;
    let folder: string | undefined;

    async function begin(descriptors?: number): Promise<{ port: number; token: string }> {
        backend = BackendProcess.start(descriptors);
        const reply = await backend.run({ do: 'hello', windowId: 'window-1' });
        folder = reply.folder;
        return reply.discovered ?? { port: 0, token: '' };
    }

    function files(): string[] {
        return (
            fs
                .readdirSync(folder ?? '', { recursive: true, withFileTypes: true })
                // Qwen Code's defaults stay: terminals that outlive the backend name them.
                .filter(entry => entry.isFile() && !entry.name.startsWith('qwen-defaults'))
                .map(entry => entry.name)
        );
    }

    afterEach(async () => {
        await backend.end('SIGKILL');
        fs.rmSync(folder ?? '', { recursive: true, force: true });
    });

    for (const how of ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit'] as const) {
        it(`L3, S11: leaves no file at its end by ${how}`, async () => {
            await begin();
            expect(files()).to.have.length.above(2);
            await backend.end(how);
            expect(files()).to.deep.equal([]);
        });
    }

    it('without a file descriptor left lives on, says so, and serves again when there are some', async () => {
        const { port, token } = await begin(120);
        await backend.run({ do: 'occupy' });
        const failed = await TestCli.connect(port, token).then(
            () => false,
            () => true
        );
        expect(failed).to.equal(true);
        const { state } = await backend.run({ do: 'hello', windowId: 'window-2' });
        expect(state?.status.state).to.equal('failed');
        expect(state?.status.problems.map(problemText).join(' ')).to.include('EMFILE');
        await backend.run({ do: 'release' });
        const ready = async (): Promise<boolean> => {
            const reply = await backend.run({ do: 'state', windowId: 'window-2' });
            return reply.state?.status.state === 'ready' && reply.uncaught.length === 0;
        };
        await eventually('the second window to be served', ready);
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    });

    it('that is blocked for 5 s keeps its CLIs: no error, and what was asked meanwhile is answered', async () => {
        const { port, token } = await begin();
        const cli = await TestCli.connect(port, token);
        await cli.client.ping();
        const blocked = backend.run({ do: 'block', ms: 5_000 });
        const answers: Array<Promise<unknown>> = [];
        for (let index = 0; index < 4; index++) {
            await new Promise(resolve => setTimeout(resolve, 1_000));
            answers.push(cli.client.ping());
        }
        await blocked;
        expect(await Promise.all(answers)).to.deep.equal([{}, {}, {}, {}]);
        expect(cli.errors).to.deep.equal([]);
        const result = await cli.openDiff(`${folder}/home/a.txt`, 'new');
        expect(result).to.deep.equal({ content: [] });
        await cli.disconnect();
    });
});
