// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import * as fs from 'fs';
import * as path from 'path';
import { spy, useFakeTimers } from 'sinon';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { LinuxProcessTable } from '../host/linux-process-table';
import { eventually } from '../test/test-cli';
import { ClaudeCodeCli } from './claude-code-cli';
import { DiscoveryFiles } from './discovery-files';
import { GeminiCli } from './gemini-cli';
import { IdeIdentity } from './ide-identity';
import { MARKER_PROPERTY, ProcessMarker, ProcessMarkers } from './process-marker';
import { QwenCodeCli } from './qwen-code-cli';
import { SupportedCli } from './supported-cli';
import { SupportedClis } from './supported-clis';
import { TestHost } from './test/test-host';

/** What a backend does, in a process of its own: publishes and waits. */
const PUBLISHER = `
require('reflect-metadata');
const [folder] = process.argv.slice(1);
const { TestHost } = require(folder + '/test/test-host.js');
const { DiscoveryFiles } = require(folder + '/discovery-files.js');
const { GeminiCli } = require(folder + '/gemini-cli.js');
const { QwenCodeCli } = require(folder + '/qwen-code-cli.js');
const { ProcessMarkers } = require(folder + '/process-marker.js');
const { IdeIdentity } = require(folder + '/ide-identity.js');
const { SupportedClis } = require(folder + '/supported-clis.js');
const { LinuxProcessTable } = require(folder + '/../host/linux-process-table.js');
const host = new TestHost();
const container = host.container();
container.bind(IdeIdentity).toConstantValue({ name: 'theia', displayName: 'Theia' });
container.rebind(ProcessMarkers).toConstantValue(new ProcessMarkers(new LinuxProcessTable()));
container.bind(SupportedClis).toConstantValue({ all: [container.get(GeminiCli), container.get(QwenCodeCli)] });
container.bind(DiscoveryFiles).toSelf();
container.get(DiscoveryFiles).publish({ port: 4711, roots: ['/a'], tokens: new Map([['gemini-cli', 'a'], ['qwen-code', 'b']]) }).then(() => {
    process.stdout.write(host.folder);
    setInterval(() => {}, 60000);
});
`;

describe('The sweep of DiscoveryFiles', () => {
    let host: TestHost;
    let files: DiscoveryFiles;
    let markers: ProcessMarkers;
    let child: ChildProcess | undefined;

    beforeEach(() => {
        host = new TestHost();
        markers = new ProcessMarkers(new LinuxProcessTable());
        const container = host.container();
        const contributions: ContributionProvider<SupportedCli> = {
            getContributions: () => [container.get(GeminiCli), container.get(QwenCodeCli), container.get(ClaudeCodeCli)]
        };
        container.bind(ContributionProvider).toConstantValue(contributions).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        container.rebind(ProcessMarkers).toConstantValue(markers);
        container.bind(IdeIdentity).toConstantValue({ name: 'theia', displayName: 'My IDE' });
        container.bind(DiscoveryFiles).toSelf();
        files = container.get(DiscoveryFiles);
    });

    afterEach(async () => {
        await kill();
        host.remove();
    });

    async function kill(): Promise<void> {
        if (child?.exitCode === null && child.signalCode === null) {
            const exit = once(child, 'exit');
            child.kill('SIGKILL');
            await exit;
        }
    }

    /** The marker of a process that has been and is no more. */
    async function deadMarker(): Promise<ProcessMarker> {
        child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setTimeout(() => {}, 60000)'], {
            stdio: ['ignore', 'pipe', 'ignore']
        });
        await once(child.stdout ?? child, 'data');
        const marker = markers.markerOf(child.pid);
        await kill();
        return marker;
    }

    function write(file: string, content: unknown): string {
        fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
        fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
        return file;
    }

    function geminiFile(pid: number): string {
        return host.temporary('gemini', 'ide', `gemini-ide-server-${pid}-4711.json`);
    }

    it('S11: removes what a backend left behind after SIGKILL, but nothing of a living one', async () => {
        child = spawn(process.execPath, ['-e', PUBLISHER, __dirname], { stdio: ['ignore', 'pipe', 'inherit'] });
        const [folder] = (await once(child.stdout ?? child, 'data')) as [Buffer];
        // The child made itself a host; look at that one.
        host.remove();
        Object.assign(host, {
            folder: folder.toString(),
            homeFolder: path.join(folder.toString(), 'home'),
            temporaryFolder: path.join(folder.toString(), 'tmp')
        });
        const lock = host.home('.qwen', 'ide', '4711.lock');
        expect(await files.sweep()).to.equal(0);
        expect(fs.existsSync(lock)).to.equal(true);
        await kill();
        // For its own pid and for ours, its parent's: two for each CLI, and the lock.
        expect(await files.sweep()).to.equal(5);
        expect(fs.existsSync(lock)).to.equal(false);
        expect(fs.readdirSync(host.temporary('gemini', 'ide'))).to.deep.equal([]);
    });

    it('S11: a reused pid is not a live one', async function () {
        const marker = markers.markerOf();
        if (marker.startTime === '') {
            return;
        }
        const file = write(geminiFile(process.pid), { port: 1, [MARKER_PROPERTY]: { ...marker, startTime: `${marker.startTime}1` } });
        expect(await files.sweep()).to.equal(1);
        expect(fs.existsSync(file)).to.equal(false);
    });

    it('S11: touches nothing of other machines, containers, programs or users, and nothing that lives', async () => {
        const dead = await deadMarker();
        const kept = [
            write(geminiFile(1), { port: 1, [MARKER_PROPERTY]: { ...dead, host: 'other' } }),
            write(geminiFile(2), { port: 1, [MARKER_PROPERTY]: { ...dead, pidNamespace: 'pid:[1]' } }),
            write(geminiFile(3), { port: 1, authToken: 'of the official companion' }),
            write(geminiFile(4), 'not JSON'),
            write(geminiFile(5), { port: 1, [MARKER_PROPERTY]: markers.markerOf() }),
            write(host.temporary('gemini', 'ide', 'notes.json'), { [MARKER_PROPERTY]: dead }),
            write(host.home('.qwen', 'ide', '1.lock'), { port: 1, ppid: dead.pid })
        ];
        if (host.uid === 0) {
            const foreign = write(geminiFile(6), { port: 1, [MARKER_PROPERTY]: dead });
            fs.chownSync(foreign, 12345, 12345);
            kept.push(foreign);
        }
        fs.symlinkSync(kept[0], geminiFile(7));
        expect(await files.sweep()).to.equal(0);
        kept.forEach(file => expect(fs.existsSync(file), file).to.equal(true));
    });

    it('S11: removes what backends of other machines, such as killed pods, have not touched for 5 minutes', async () => {
        const living = markers.markerOf();
        const touched = (file: string, minutesAgo: number): void => {
            const seconds = Date.now() / 1000 - minutesAgo * 60;
            fs.utimesSync(file, seconds, seconds);
        };
        const old = [
            write(host.home('.qwen', 'ide', '1.lock'), { [MARKER_PROPERTY]: { ...living, host: 'a dead pod' } }),
            write(host.home('.qwen', 'ide', '2.lock'), { [MARKER_PROPERTY]: { ...living, pidNamespace: 'pid:[1]' } })
        ];
        const kept = [
            write(host.home('.qwen', 'ide', '3.lock'), { [MARKER_PROPERTY]: { ...living, host: 'a living pod' } }),
            write(host.home('.qwen', 'ide', '4.lock'), { [MARKER_PROPERTY]: living }),
            write(host.home('.qwen', 'ide', '5.lock'), { port: 5, authToken: 'of the official companion' })
        ];
        [...old, ...kept.slice(1)].forEach(file => touched(file, 6));
        touched(kept[0], 4);
        expect(await files.sweep()).to.equal(2);
        expect([...old, ...kept].filter(file => fs.existsSync(file))).to.deep.equal(kept);
    });

    it('S11: a pod that takes over from a killed one removes its lock 5 minutes later, too', async () => {
        const clock = useFakeTimers({ toFake: ['setTimeout'] });
        try {
            const lock = write(host.home('.claude', 'ide', '1.lock'), {
                [MARKER_PROPERTY]: { ...markers.markerOf(), host: 'the killed pod' }
            });
            const sweep = spy(files, 'sweep');
            files.startSweeping();
            await sweep.returnValues[0];
            expect(fs.existsSync(lock)).to.equal(true);
            fs.utimesSync(lock, Date.now() / 1000 - 360, Date.now() / 1000 - 360);
            clock.tick(6 * 60_000);
            clock.restore();
            await eventually('the lock to be removed', () => !fs.existsSync(lock));
        } finally {
            clock.restore();
        }
    });

    it('S10: does not follow a link to another folder', async () => {
        const dead = await deadMarker();
        const elsewhere = write(host.home('elsewhere', 'ide', 'gemini-ide-server-1-1.json'), { [MARKER_PROPERTY]: dead });
        fs.symlinkSync(host.home('elsewhere'), host.temporary('gemini'));
        expect(await files.sweep()).to.equal(0);
        expect(fs.existsSync(elsewhere)).to.equal(true);
    });

    it('removes half-written files of processes that died long ago, but no fresh ones', async () => {
        const old = write(host.home('.qwen', 'ide', '.theia-companion-0123456789abcdef.tmp'), '');
        const fresh = write(host.home('.qwen', 'ide', '.theia-companion-fedcba9876543210.tmp'), '');
        fs.utimesSync(old, 1, 1);
        expect(await files.sweep()).to.equal(1);
        expect(fs.existsSync(old)).to.equal(false);
        expect(fs.existsSync(fresh)).to.equal(true);
    });

    it('the sweep of DiscoveryFiles has nothing to do if no CLI was ever used', async () => {
        expect(await files.sweep()).to.equal(0);
        expect(fs.readdirSync(host.homeFolder)).to.deep.equal([]);
    });
});
