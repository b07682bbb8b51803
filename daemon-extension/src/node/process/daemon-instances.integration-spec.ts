// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import { existsSync, promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { processMarkers, TestBackend } from '../test/test-workspaces';
import { DaemonInstances } from './daemon-instances';

// Elsewhere a process cannot be distinguished from a later one with the same pid, so nothing is ended.
const onLinux = existsSync('/proc/self/stat') ? describe : (): void => undefined;

onLinux('The daemons of a killed backend', () => {
    let folder: string;
    let instances: DaemonInstances;
    let left: number[];

    beforeEach(async () => {
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-instances-'));
        instances = new DaemonInstances(path.join(folder, 'instances'), processMarkers);
        left = [];
    });

    afterEach(async () => {
        for (const pid of left) {
            if (isAlive(pid)) {
                process.kill(pid, 'SIGKILL');
            }
        }
        await fs.rm(folder, { recursive: true });
    });

    const isAlive = (pid: number): boolean => processMarkers.markerOf(pid).startTime !== '';

    /** What a backend that was killed leaves: a daemon, or what looks like one, and the file that names it. */
    async function leave({ workspace = folder, into = path.join(folder, 'instances') } = {}): Promise<{ pid: number; file: string }> {
        const command = path.join(folder, 'qwen');
        await fs.writeFile(command, `#!${process.execPath}\nconsole.log('ready'); setInterval(() => {}, 1000);`, { mode: 0o755 });
        const child = spawn(command, ['serve', '--workspace', workspace], { stdio: ['ignore', 'pipe', 'ignore'] });
        await new Promise(resolve => child.stdout.once('data', resolve));
        const pid = child.pid!;
        left.push(pid);
        const backend = { ...processMarkers.markerOf(), pid: 999_999 };
        await fs.mkdir(into, { recursive: true });
        const file = path.join(into, `999999-${pid}.json`);
        await fs.writeFile(file, JSON.stringify({ backend, daemon: processMarkers.markerOf(pid), workspace: folder }));
        return { pid, file };
    }

    it('are ended', async () => {
        const { pid, file } = await leave();
        expect(await instances.reapOrphans()).to.deep.equal([pid]);
        expect([existsSync(file), isAlive(pid)]).to.deep.equal([false, false]);
    });

    it('are not confused with a process that is no daemon of this workspace, even with the same pid', async () => {
        const { pid, file } = await leave({ workspace: '/another' });
        expect(await instances.reapOrphans()).to.deep.equal([]);
        expect([existsSync(file), isAlive(pid)]).to.deep.equal([false, true]);
    });

    it('are not confused with those of a live backend or of another container', async () => {
        const { pid, file } = await leave();
        const written = JSON.parse(await fs.readFile(file, 'utf8'));
        await fs.writeFile(file, JSON.stringify({ ...written, backend: processMarkers.markerOf() }));
        expect(await instances.reapOrphans()).to.deep.equal([]);
        await fs.writeFile(file, JSON.stringify({ ...written, backend: { ...written.backend, pidNamespace: 'another' } }));
        expect(await instances.reapOrphans()).to.deep.equal([]);
        expect([existsSync(file), isAlive(pid)]).to.deep.equal([true, true]);
        const longAgo = Date.now() / 1_000 - 31 * 24 * 3_600;
        await fs.utimes(file, longAgo, longAgo);
        expect(await instances.reapOrphans()).to.deep.equal([]);
        expect([existsSync(file), isAlive(pid)]).to.deep.equal([false, true]);
    });

    it('are ended when a page opens, if the preference is on, even if nobody uses the daemon again', async () => {
        const backend = await TestBackend.create();
        try {
            const { pid, file } = await leave({ into: path.join(backend.folder, 'config', 'qwen-daemon') });
            await backend.page();
            expect([existsSync(file), isAlive(pid)], 'while the preference is off').to.deep.equal([true, true]);
            backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = true;
            const page = await backend.page();
            for (const end = Date.now() + 10_000; existsSync(file) && Date.now() < end;) {
                await new Promise(resolve => setTimeout(resolve, 20));
            }
            expect([existsSync(file), isAlive(pid)]).to.deep.equal([false, false]);
            expect(
                page.statuses.map(({ state }) => state),
                'nothing is started for it'
            ).to.deep.equal(['idle']);
        } finally {
            await backend.dispose();
        }
    });
});
