// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { injectable } from '@theia/core/shared/inversify';
import { parseProcessStat, ProcessStat } from '../process-stat';

/** A shell is few processes above its CLI: launchers, shells within shells. */
const MAX_ANCESTORS = 50;

/** Finds the shells whose keyboard a process has. Linux only; elsewhere no shell is found. */
@injectable()
export class ForegroundClis {
    protected readonly procFolder: string = '/proc';

    /**
     * Never rejects.
     *
     * @param pid of a process
     * @param shells pids
     * @returns the shell that the process runs in, if the process is what the keys of its terminal go to now
     */
    async shellOf(pid: number, shells: ReadonlySet<number>): Promise<number | undefined> {
        const stat = await this.read(pid);
        // Stopped, in the background, or in the pane of a multiplexer that is not below the shell.
        if (!stat || stat.hasEnded || stat.processGroup !== stat.foregroundGroup) {
            return undefined;
        }
        let current: ProcessStat | undefined = stat;
        for (let count = 0; current && count < MAX_ANCESTORS; count++) {
            if (shells.has(current.parent)) {
                return current.parent;
            }
            current = await this.read(current.parent);
        }
        return undefined;
    }

    private async read(pid: number): Promise<ProcessStat | undefined> {
        const text = await fs.readFile(`${this.procFolder}/${pid}/stat`, 'utf8').catch(() => '');
        return parseProcessStat(text);
    }
}
