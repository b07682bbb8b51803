// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import * as fs from 'fs';
import { createServer, Server } from 'net';
import * as path from 'path';
import { Event } from '@theia/core/lib/common/event';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Container } from '@theia/core/shared/inversify';
import { UnconnectedCli } from '../../common/companion-protocol';
import { CopilotCli } from '../discovery/copilot-cli';
import { GeminiCli } from '../discovery/gemini-cli';
import { QwenCodeCli } from '../discovery/qwen-code-cli';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessScans } from '../host/process-scans';
import { ProcessTable } from '../host/process-table';
import { Windows } from '../server/windows';
import { DisconnectedClis } from './disconnected-clis';

/** Nobody listens there: the system never assigns this port. */
const DEAD_PORT = 1;

describe('DisconnectedClis', () => {
    let host: TestHost;
    let container: Container;
    let clis: DisconnectedClis;
    let listener: Server;
    let livePort: number;

    beforeEach(async () => {
        host = new TestHost();
        container = host.container();
        const contributions: ContributionProvider<SupportedCli> = {
            getContributions: () => [container.get(GeminiCli), container.get(QwenCodeCli), container.get(CopilotCli)]
        };
        container.bind(ContributionProvider).toConstantValue(contributions).whenTargetNamed(SupportedCli);
        container.bind(ProcessTable).toConstantValue(new LinuxProcessTable(host.temporary('proc')));
        container.bind(SupportedClis).toSelf();
        container.bind<unknown>(ProcessScans).toConstantValue({ onDidScan: Event.None });
        container.bind<unknown>(Windows).toConstantValue({ onDidChangeSession: Event.None });
        container.bind(DisconnectedClis).toSelf();
        clis = container.get(DisconnectedClis);
        listener = createServer();
        await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
        livePort = (listener.address() as { port: number }).port;
    });

    afterEach(() => {
        listener.close();
        host.remove();
    });

    function run(pid: number, command: string[], variables: Record<string, unknown>, parent = 1, cwd = '/ws/sub'): void {
        const folder = path.join(host.temporary('proc'), String(pid));
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, 'cmdline'), command.join('\0') + '\0');
        const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
        fs.writeFileSync(path.join(folder, 'environ'), environment.join(''));
        fs.writeFileSync(path.join(folder, 'stat'), `${pid} (node (x)) S ${parent} ${'1 '.repeat(18)}`);
        fs.writeFileSync(path.join(folder, 'status'), '');
        fs.symlinkSync(cwd, path.join(folder, 'cwd'));
    }

    function look(): Promise<boolean> {
        return container
            .get<ProcessTable>(ProcessTable)
            .scan(undefined)
            .then(scanned => clis.look(new Set([livePort]), scanned));
    }

    function place(...roots: string[]): { roots: string[]; port: number | undefined } {
        return { roots, port: undefined };
    }

    function namesOf(found: UnconnectedCli[]): string[] {
        return found.map(({ displayName }) => displayName);
    }

    /** Of the process 10. */
    function session(cliId = 'qwen-code'): Parameters<DisconnectedClis['follow']>[0] & { gaveUp: boolean } {
        const peer = { pid: 10, startTime: '1', folder: '/ws/sub' };
        return { cliId, peer, since: Date.now(), state: 'streaming', gaveUp: false };
    }

    async function found(live: number[] = []): Promise<number[]> {
        return (await clis.find(new Set(live))).map(({ pid }) => pid);
    }

    it('finds CLIs whose server is gone, however they were started', async () => {
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        run(11, ['/opt/node', '/lib/node_modules/@google/gemini-cli/bundle/gemini.js'], { GEMINI_CLI_IDE_SERVER_PORT: DEAD_PORT });
        expect(await clis.find(new Set())).to.have.deep.members([
            { cliId: 'qwen-code', pid: 10, folder: '/ws/sub' },
            { cliId: 'gemini-cli', pid: 11, folder: '/ws/sub' }
        ]);
    });

    it('ignores CLIs of live servers, of this backend or another one, and all other processes', async () => {
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: livePort });
        run(11, ['bash'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        run(12, ['node', '/usr/bin/qwen'], {});
        run(13, ['vi', '/ws/qwenish.txt'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        expect(await found()).to.deep.equal([]);
        run(14, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        expect(await found([DEAD_PORT])).to.deep.equal([]);
    });

    it('counts a CLI that starts itself again once, as the process that connects', async () => {
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        run(11, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT }, 10);
        expect(await found()).to.deep.equal([11]);
    });

    it('finds nothing if there is no /proc', async () => {
        expect(await found()).to.deep.equal([]);
    });

    it('is named in the windows of its folder until it is connected', async () => {
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
        let looked = 0;
        clis.onDidChange(() => looked++);
        await look();
        await look();
        expect(looked, 'nothing is new').to.equal(1);
        expect(namesOf(clis.of(place('/ws'), []))).to.deep.equal(['Qwen Code']);
        expect(namesOf(clis.of(place('/other', '/ws/sub/deeper'), []))).to.deep.equal([]);
        expect(namesOf(clis.of(place('/ws'), [session()]))).to.deep.equal([]);
    });

    it('says what connects it, and in which folder it runs where that is not open', async () => {
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: livePort });
        fs.mkdirSync(host.temporary('proc', 'self'), { recursive: true });
        fs.writeFileSync(host.temporary('proc', 'self', 'stat'), `1 (node) S 1 ${'1 '.repeat(17)}100000 `);
        await look();
        const [inside] = clis.of({ roots: ['/ws'], port: livePort }, []);
        expect(inside).to.deep.equal({ cliId: 'qwen-code', displayName: 'Qwen Code', connectCommand: '/ide enable' });
        const [outside] = clis.of({ roots: ['/other'], port: livePort }, []);
        expect(outside.folder).to.equal('/ws/sub');
    });

    it('says that it works in another checkout, where that is a worktree of the repository that is open', async () => {
        const [main, beside] = [host.temporary('main'), host.temporary('beside')];
        fs.mkdirSync(path.join(beside, 'src'), { recursive: true });
        fs.writeFileSync(path.join(beside, '.git'), `gitdir: ${main}/.git/worktrees/beside\n`);
        run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: livePort }, 1, path.join(beside, 'src'));
        fs.mkdirSync(host.temporary('proc', 'self'), { recursive: true });
        fs.writeFileSync(host.temporary('proc', 'self', 'stat'), `1 (node) S 1 ${'1 '.repeat(17)}100000 `);
        await look();
        const of = (root: string): unknown => clis.of({ roots: [root], port: livePort }, [])[0].isOtherCheckout;
        expect(of(main)).to.equal(true);
        expect(of(path.join(main, 'packages'))).to.equal(true);
        expect(of('/other')).to.equal(undefined);
    });

    it('says the folder also below an open one, for a CLI that connects only in that itself', async () => {
        run(10, ['node', '/usr/bin/copilot'], { THEIA_COMPANION_PORT: livePort });
        fs.mkdirSync(host.temporary('proc', 'self'), { recursive: true });
        fs.writeFileSync(host.temporary('proc', 'self', 'stat'), `1 (node) S 1 ${'1 '.repeat(17)}100000 `);
        await look();
        expect(clis.of({ roots: ['/ws'], port: livePort }, []).map(({ folder }) => folder)).to.deep.equal(['/ws/sub']);
        expect(clis.of({ roots: ['/ws/sub'], port: livePort }, []).map(({ folder }) => folder)).to.deep.equal([undefined]);
    });

    describe('in a terminal of a live server', () => {
        const unconnected = (...args: string[]): void => {
            run(10, ['node', '/usr/bin/gemini', ...args], { GEMINI_CLI_IDE_SERVER_PORT: livePort });
        };
        const names = async (sessions: Parameters<DisconnectedClis['of']>[1] = [], port = livePort): Promise<string[]> => {
            await look();
            return namesOf(clis.of({ roots: ['/ws'], port }, sessions));
        };
        /** This process began so many seconds after the fake ones. */
        const began = (later: number): void => {
            fs.mkdirSync(host.temporary('proc', 'self'), { recursive: true });
            fs.writeFileSync(host.temporary('proc', 'self', 'stat'), `1 (node) S 1 ${'1 '.repeat(17)}${Math.round(100 * later)} `);
        };

        beforeEach(() => began(1_000));

        it('is named only in the window of its terminal, until it is connected', async () => {
            unconnected();
            expect(await names()).to.deep.equal(['Gemini CLI']);
            expect(await names([], livePort + 1)).to.deep.equal([]);
            expect(await names([session('gemini-cli')])).to.deep.equal([]);
        });

        it('is not named while it starts', async () => {
            began(-process.uptime());
            unconnected();
            expect(await names()).to.deep.equal([]);
        });

        it('is named once it has had the time to connect', async () => {
            began(-process.uptime());
            unconnected();
            expect(await names()).to.deep.equal([]);
            expect(await look(), 'looked for again').to.equal(true);
            began(1_000);
            expect(await names()).to.deep.equal(['Gemini CLI']);
        });

        it('is not named if it was started for a single question', async () => {
            unconnected('-p', 'hello');
            expect(await names()).to.deep.equal([]);
        });

        it('is not named if a session is connected whose process is not known', async () => {
            unconnected();
            expect(await names([{ ...session('gemini-cli'), peer: undefined }])).to.deep.equal([]);
            expect(await names([{ ...session('qwen-code'), peer: undefined }])).to.deep.equal(['Gemini CLI']);
        });
    });

    describe('after the backend was stopped for minutes with its container', () => {
        let clock: SinonFakeTimers;

        beforeEach(() => {
            clock = useFakeTimers({ now: Date.now(), toFake: ['Date', 'setInterval', 'clearInterval'] });
            container.rebind(DisconnectedClis).toSelf();
            clis = container.get(DisconnectedClis);
            run(10, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: livePort });
        });
        afterEach(() => clock.restore());

        function stopped(minutes: number): void {
            clock.setSystemTime(Date.now() + minutes * 60_000);
            clock.tick(15_000);
        }

        /** A session of the CLI begins. */
        function connected(): Parameters<DisconnectedClis['follow']>[0] & { gaveUp: boolean } {
            const started = session();
            clis.follow(started);
            return started;
        }

        function loseStream(lost: ReturnType<typeof connected>): void {
            clis.follow(Object.assign(lost, { state: 'lost' }));
            clis.follow(Object.assign(lost, { state: 'streaming' }));
        }

        it('names a CLI that gave up its connection although it asks for its stream again, until it is reconnected', async () => {
            const lost = connected();
            clock.setSystemTime(Date.now() + 360_000);
            loseStream(lost);
            expect(lost.gaveUp).to.equal(true);
            expect(namesOf(clis.of(place('/ws'), []))).to.deep.equal(['Qwen Code']);
            expect(await found([livePort])).to.deep.equal([10]);
            clock.tick(1_000);
            expect(connected().gaveUp).to.equal(false);
            expect(namesOf(clis.of(place('/ws'), [session()]))).to.deep.equal([]);
            expect(await found([livePort])).to.deep.equal([]);
        });

        it('a clock that is set back neither keeps it from looking nor has it take a lost stream for a given-up connection', async () => {
            stopped(6);
            clock.setSystemTime(Date.now() - 3_600_000);
            const lost = connected();
            loseStream(lost);
            expect(lost.gaveUp).to.equal(false);
            run(11, ['node', '/usr/bin/qwen'], { QWEN_CODE_IDE_SERVER_PORT: DEAD_PORT });
            await look();
            expect(namesOf(clis.of(place('/ws'), []))).to.deep.equal(['Qwen Code']);
            clock.setSystemTime(Date.now() - 3_600_000);
            fs.rmSync(host.temporary('proc', '11'), { recursive: true });
            await look();
            expect(namesOf(clis.of(place('/ws'), []))).to.deep.equal([]);
        });

        it('does not name one that lost its stream for another reason, nor one that was stopped as well and keeps it', async () => {
            const lost = connected();
            loseStream(lost);
            stopped(1);
            loseStream(lost);
            stopped(6);
            clock.tick(600_000);
            loseStream(lost);
            expect(lost.gaveUp).to.equal(false);
            expect(await found([livePort])).to.deep.equal([]);
        });
    });
});
