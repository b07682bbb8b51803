// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import { LinuxProcessTable } from '../host/linux-process-table';
import { markerIn, MARKER_PROPERTY, ProcessMarkers } from './process-marker';

/** A machine with an id that was started an hour ago. */
class Machine extends ProcessMarkers {
    constructor(private readonly id: string) {
        super(new LinuxProcessTable());
    }

    protected override machineId(): string {
        return this.id;
    }

    protected override bootedAt(): number {
        return NOW - HOUR;
    }
}

const NOW = Date.now();
const HOUR = 60 * 60 * 1000;

describe('ProcessMarkers', () => {
    let child: ChildProcess | undefined;

    async function start(): Promise<number> {
        child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setTimeout(() => {}, 60000)'], {
            stdio: ['ignore', 'pipe', 'ignore']
        });
        await once(child.stdout ?? child, 'data');
        return child.pid ?? 0;
    }

    async function kill(): Promise<void> {
        if (child?.exitCode === null && child.signalCode === null) {
            const exit = once(child, 'exit');
            child.kill('SIGKILL');
            await exit;
        }
    }

    afterEach(kill);

    for (const [system, markers] of [
        ['this system', new ProcessMarkers(new LinuxProcessTable())],
        ['a system without /proc', new ProcessMarkers(new LinuxProcessTable('/no/proc'))]
    ] as const) {
        it(`S11: tells a living process from a killed one on ${system}`, async () => {
            const marker = markers.markerOf(await start());
            expect(markers.isGone(marker, NOW)).to.equal(false);
            expect(markers.isGone(markers.markerOf(), NOW)).to.equal(false);
            await kill();
            expect(markers.isGone(marker, NOW)).to.equal(true);
        });
    }

    it('S11: a reused pid is not the process of the marker', async function () {
        const markers = new ProcessMarkers(new LinuxProcessTable());
        const marker = markers.markerOf(await start());
        if (marker.startTime === '') {
            // Nothing but the pid is known on this system.
            return;
        }
        expect(markers.isGone({ ...marker, startTime: `${marker.startTime}1` }, NOW)).to.equal(true);
    });

    it('S11: knows nothing of other machines and other containers', async () => {
        const markers = new ProcessMarkers(new LinuxProcessTable());
        const marker = markers.markerOf(await start());
        await kill();
        expect(markers.isGone({ ...marker, host: 'other' }, 0)).to.equal(false);
        expect(markers.isGone({ ...marker, pidNamespace: 'pid:[1]' }, 0)).to.equal(false);
    });

    it('S11: knows nothing of a copy of this machine that shares its name and its id', function () {
        const machine = new Machine('copied');
        const marker = machine.markerOf();
        if (marker.startTime === '') {
            return;
        }
        const ofTheCopy = { ...marker, startTime: marker.startTime.replace(/^[^/]*/, 'another-boot') };
        expect(machine.isGone(ofTheCopy, NOW)).to.equal(false);
        expect(machine.isGone(marker, NOW)).to.equal(false);
        // What is older than our own start was most likely written before this machine was started again.
        expect(machine.isGone(ofTheCopy, NOW - 2 * HOUR)).to.equal(true);
        const unnamed = new Machine('');
        expect(unnamed.isGone({ ...ofTheCopy, host: unnamed.markerOf().host }, NOW - 2 * HOUR)).to.equal(false);
    });

    it('survives a round trip through JSON; nothing else is taken for a marker', () => {
        const marker = new ProcessMarkers(new LinuxProcessTable()).markerOf();
        expect(markerIn(JSON.parse(JSON.stringify({ port: 1, [MARKER_PROPERTY]: marker })))).to.deep.equal(marker);
        for (const content of [
            null,
            1,
            {},
            { [MARKER_PROPERTY]: 1 },
            { [MARKER_PROPERTY]: { ...marker, pid: '1' } },
            { [MARKER_PROPERTY]: { ...marker, pid: -1 } }
        ]) {
            expect(markerIn(content)).to.equal(undefined);
        }
    });
});
