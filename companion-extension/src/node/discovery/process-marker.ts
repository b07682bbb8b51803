// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import * as fs from 'fs';
import * as os from 'os';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ProcessTable } from '../host/process-table';

/** The property of a discovery file that holds its marker. The CLIs ignore properties that they do not know. */
export const MARKER_PROPERTY = 'theiaCompanion';

/** How often a backend touches its files. */
export const TOUCH_PERIOD_MS = 60_000;

/** A file that nobody has touched for so long belongs to a backend that is gone, where nothing else tells. */
export const UNTOUCHED_MS = 5 * TOUCH_PERIOD_MS;

/**
 * Says which process wrote a file. A pid alone does not: in a container a new backend has the pid of the old one, and across
 * a shared HOME pids mean nothing.
 */
export interface ProcessMarker {
    /** A hash of the machine's names. */
    readonly host: string;
    /** Empty if the system has no such thing. */
    readonly pidNamespace: string;
    readonly pid: number;
    /** Differs with each process that gets the same pid, and with each boot of the machine. Empty if the system does not say. */
    readonly startTime: string;
}

/** @param content of a discovery file */
export function markerIn(content: unknown): ProcessMarker | undefined {
    const marker = (content as { [MARKER_PROPERTY]?: Partial<ProcessMarker> } | null)?.[MARKER_PROPERTY];
    const { host, pidNamespace, pid, startTime } = marker ?? {};
    const isMarker = [host, pidNamespace, startTime].every(text => typeof text === 'string') && isPid(pid);
    return isMarker ? ({ host, pidNamespace, pid, startTime } as ProcessMarker) : undefined;
}

function isPid(value: unknown): value is number {
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Whether there is a process with this pid, whoever's it is. */
export function processExists(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
}

function bootOf(startTime: string): string {
    return startTime.slice(0, startTime.lastIndexOf('/'));
}

/** Makes markers, and checks whether their processes are alive. */
@injectable()
export class ProcessMarkers {
    /** The wall clock less the steady one, which does not count a suspend, in milliseconds. */
    protected clockOffset = Date.now() - performance.now();
    /** By the steady clock. */
    protected timesCountFrom = 0;

    constructor(@inject(ProcessTable) protected readonly processes: ProcessTable) {}

    /** @param pid a process of this machine and pid namespace; this one if it is left out */
    markerOf(pid: number = process.pid): ProcessMarker {
        return { host: this.host(), pidNamespace: this.processes.pidNamespace(), pid, startTime: this.processes.startTime(pid) ?? '' };
    }

    /**
     * Whether the process that wrote a file is gone. Its start time decides, where it can be compared. It cannot where the process belongs to
     * another machine, container or boot, as after a pod was killed. Then the file counts as left behind if nobody has touched it for
     * minutes. A backend that was only stopped for so long writes its files again. After a suspend, or once the clock was set, every file
     * looks so: the living ones have time to touch theirs.
     *
     * @param touchedAt when the file was touched, in milliseconds since the epoch
     */
    isGone(marker: ProcessMarker, touchedAt: number): boolean {
        if (this.isHere(marker) && marker.startTime !== '' && this.markerOf().startTime !== '') {
            return !this.isAlive(marker);
        }
        const isUntouched = this.doTimesCount() && Date.now() - touchedAt > UNTOUCHED_MS;
        return isUntouched || (this.isHere(marker) && !processExists(marker.pid));
    }

    /** Whether the process that wrote the marker surely lives. `false` if we cannot know. */
    isAlive(marker: ProcessMarker): boolean {
        return this.isHere(marker) && this.processes.startTime(marker.pid) === marker.startTime;
    }

    /** Whether we would see the process: it is of this machine, since its last start, and of this container. */
    protected isHere({ host, pidNamespace, startTime }: ProcessMarker): boolean {
        const own = this.markerOf();
        const isSinceBoot = startTime === '' || own.startTime === '' || bootOf(startTime) === bootOf(own.startTime);
        return host === own.host && pidNamespace === own.pidNamespace && isSinceBoot;
    }

    protected doTimesCount(): boolean {
        const offset = Date.now() - performance.now();
        if (Math.abs(offset - this.clockOffset) > TOUCH_PERIOD_MS) {
            this.timesCountFrom = performance.now() + 2 * TOUCH_PERIOD_MS;
        }
        this.clockOffset = offset;
        return performance.now() >= this.timesCountFrom;
    }

    protected host(): string {
        // Machines of one network may share both HOME and a name such as `localhost`.
        const names = [os.hostname(), this.read('/etc/machine-id')];
        return createHash('sha256').update(names.join('\0')).digest('hex').slice(0, 16);
    }

    /** @returns an empty text if there is no such file, as in most containers */
    protected read(file: string): string {
        try {
            return fs.readFileSync(file, 'utf8').trim();
        } catch {
            return '';
        }
    }
}
