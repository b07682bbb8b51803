// SPDX-License-Identifier: Apache-2.0

import { promises as fs, rmSync } from 'fs';
import * as path from 'path';
import { ProcessMarker, ProcessMarkers } from 'theia-cli-companion/lib/node';
import { z } from 'zod/v4';

const marker: z.ZodType<ProcessMarker> = z.object({
    host: z.string(),
    pidNamespace: z.string(),
    pid: z.number().int().positive(),
    startTime: z.string()
});
const instance = z.object({ backend: marker, daemon: marker, workspace: z.string() });
type Instance = z.infer<typeof instance>;

/** In milliseconds. */
const KILL_AFTER = 6_000;
const STALE = 30 * 24 * 3_600_000;

/**
 * Keeps files that say which daemons belong to which backend. A killed backend leaves its daemons alive. The next backend finds their
 * files and ends the daemons that it recognises for sure: same machine, same pid, same start time, same command line.
 */
export class DaemonInstances {
    /** @param folder absolute path; made if it is missing */
    constructor(
        protected readonly folder: string,
        protected readonly markers: ProcessMarkers
    ) {}

    /** @returns removes the file again; synchronous, for the end of the backend */
    async register(pid: number, workspace: string): Promise<() => void> {
        const backend = this.markers.markerOf();
        const daemon = this.markers.markerOf(pid);
        if (!tellsItsStart(daemon)) {
            return () => undefined;
        }
        await fs.mkdir(this.folder, { recursive: true, mode: 0o700 });
        const file = path.join(this.folder, `${backend.pid}-${pid}.json`);
        // Another backend that looks must never find half of it.
        await fs.writeFile(`${file}.new`, JSON.stringify({ backend, daemon, workspace } satisfies Instance), { mode: 0o600 });
        await fs.rename(`${file}.new`, file);
        return () => rmSync(file, { force: true });
    }

    /** @returns the pids of the daemons that were ended */
    async reapOrphans(): Promise<number[]> {
        const names = tellsItsStart(this.markers.markerOf()) ? await fs.readdir(this.folder).catch(() => []) : [];
        const reaped = await Promise.all(
            // A file that cannot be judged now keeps no daemon from starting.
            names.filter(name => name.endsWith('.json')).map(name => this.reap(path.join(this.folder, name)).catch(() => undefined))
        );
        return reaped.flatMap(pid => pid ?? []);
    }

    protected async reap(file: string): Promise<number | undefined> {
        const { data } = instance.safeParse(await this.readJson(file));
        const { mtimeMs } = await fs.stat(file);
        // However old the file is: what is ended must be nobody's for sure.
        if (data && !this.markers.isGone(data.backend, Date.now())) {
            // It lives, or runs on another machine or in another container, where it cannot be seen from here.
            if (!this.markers.isAlive(data.backend) && Date.now() - mtimeMs > STALE) {
                await fs.rm(file, { force: true });
            }
            return undefined;
        }
        // A file that cannot be read is nobody's.
        const orphan = data && (await this.recognise(data)) ? data.daemon : undefined;
        if (orphan) {
            await this.end(orphan);
        }
        await fs.rm(file, { force: true });
        return orphan?.pid;
    }

    protected async recognise({ daemon, workspace }: Instance): Promise<boolean> {
        const line = (await fs.readFile(`/proc/${daemon.pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
        const serve = line.indexOf('serve');
        return serve > 0 && line[line.indexOf('--workspace', serve) + 1] === workspace && this.isAlive(daemon);
    }

    protected async end(orphan: ProcessMarker): Promise<void> {
        const signal = (name: NodeJS.Signals): void => {
            try {
                process.kill(orphan.pid, name);
            } catch {
                // It has gone meanwhile.
            }
        };
        signal('SIGTERM');
        for (const end = Date.now() + KILL_AFTER; Date.now() < end;) {
            await new Promise(resolve => setTimeout(resolve, 100));
            if (!this.isAlive(orphan)) {
                return;
            }
        }
        signal('SIGKILL');
    }

    /** Only for sure: what is ended here must be the daemon. */
    protected isAlive(process: ProcessMarker): boolean {
        return tellsItsStart(process) && this.markers.isAlive(process);
    }

    protected async readJson(file: string): Promise<unknown> {
        try {
            return JSON.parse(await fs.readFile(file, 'utf8'));
        } catch {
            return undefined;
        }
    }
}

/** Only on Linux. Elsewhere a process cannot be distinguished from a later one with the same pid, so nothing is ended. */
function tellsItsStart({ startTime }: ProcessMarker): boolean {
    return startTime !== '';
}
