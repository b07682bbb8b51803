// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import { useFakeTimers } from 'sinon';
import { LinuxProcessTable } from '../host/linux-process-table';
import { markerIn, MARKER_PROPERTY, ProcessMarkers } from './process-marker';

const MINUTE = 60_000;

describe('ProcessMarkers', () => {
    let child: ChildProcess | undefined;
    let now: number;

    beforeEach(() => (now = Date.now()));

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
            expect(markers.isGone(marker, now)).to.equal(false);
            expect(markers.isGone(markers.markerOf(), now)).to.equal(false);
            await kill();
            expect(markers.isGone(marker, now)).to.equal(true);
        });
    }

    it('S11: a reused pid is not the process of the marker', async function () {
        const markers = new ProcessMarkers(new LinuxProcessTable());
        const marker = markers.markerOf(await start());
        if (marker.startTime === '') {
            // Nothing but the pid is known on this system.
            return;
        }
        expect(markers.isGone({ ...marker, startTime: `${marker.startTime}1` }, now)).to.equal(true);
    });

    it('S11: a process of another machine, container or boot is gone if nobody has touched its file for 5 minutes', async () => {
        const markers = new ProcessMarkers(new LinuxProcessTable());
        const marker = markers.markerOf();
        for (const other of [{ host: 'other' }, { pidNamespace: 'pid:[1]' }, { startTime: 'another-boot/1' }]) {
            expect(markers.isGone({ ...marker, ...other }, now - 4 * MINUTE)).to.equal(false);
            expect(markers.isGone({ ...marker, ...other }, now - 6 * MINUTE)).to.equal(true);
        }
        if (marker.startTime !== '') {
            expect(markers.isGone(marker, 0), 'a living one that was stopped').to.equal(false);
        }
    });

    it('S11: after a suspend, a process of another machine has time to touch its files', () => {
        const clock = useFakeTimers({ now, toFake: ['Date', 'performance'] });
        try {
            const markers = new ProcessMarkers(new LinuxProcessTable());
            const marker = { ...markers.markerOf(), host: 'other' };
            clock.setSystemTime(now + 60 * MINUTE);
            expect(markers.isGone(marker, now)).to.equal(false);
            clock.tick(MINUTE);
            expect(markers.isGone(marker, now)).to.equal(false);
            clock.tick(MINUTE);
            expect(markers.isGone(marker, now)).to.equal(true);
        } finally {
            clock.restore();
        }
    });

    it('S11: a reused pid on a system without /proc is gone as well, if nobody has touched its file', () => {
        const markers = new ProcessMarkers(new LinuxProcessTable('/no/proc'));
        expect(markers.isGone(markers.markerOf(), now - 4 * MINUTE)).to.equal(false);
        expect(markers.isGone(markers.markerOf(), now - 6 * MINUTE)).to.equal(true);
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
