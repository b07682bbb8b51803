// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';

/** Megabytes of a process; what several share is divided among them (Linux). */
export function memoryOf(pid: number): number {
    const match = /^Pss:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(match?.[1]) / 1024;
}
