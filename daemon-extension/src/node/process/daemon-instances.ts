// SPDX-License-Identifier: Apache-2.0

import { promises as fs, rmSync } from 'fs';
import * as path from 'path';
import { z } from 'zod/v4';
import { ProcessIdentity } from './process-identity';

const identity = z.object({ pid: z.number().int().positive(), startTime: z.string(), realm: z.string() });
const instance = z.object({ backend: identity, daemon: identity, workspace: z.string() });
type Instance = z.infer<typeof instance>;

/** In milliseconds. */
const KILL_AFTER = 6_000;
const STALE = 30 * 24 * 3_600_000;

/**
 * Files that say which daemons belong to which backend. A killed backend leaves its daemons alive; the next backend finds their
 * files and ends those, and only those, that it recognises: same pid, same start time, same command line.
 */
export class DaemonInstances {
    /** @param folder absolute path; made where it is missing */
    constructor(private readonly folder: string) {}

    /** @returns removes the file again; synchronous, for the end of the backend */
    async register(pid: number, workspace: string): Promise<() => void> {
        const [backend, daemon] = await Promise.all([ProcessIdentity.of(process.pid), ProcessIdentity.of(pid)]);
        if (!backend || !daemon) {
            return () => undefined;
        }
        await fs.mkdir(this.folder, { recursive: true, mode: 0o700 });
        const file = path.join(this.folder, `${backend.pid}-${pid}.json`);
        await fs.writeFile(file, JSON.stringify({ backend, daemon, workspace } satisfies Instance), { mode: 0o600 });
        return () => rmSync(file, { force: true });
    }

    /** @returns the pids of the daemons that were ended */
    async reapOrphans(): Promise<number[]> {
        const realm = await ProcessIdentity.realm().catch(() => undefined);
        const names = realm === undefined ? [] : await fs.readdir(this.folder).catch(() => []);
        const reaped = await Promise.all(
            // A file that cannot be judged now keeps no daemon from starting.
            names.filter(name => name.endsWith('.json')).map(name => this.reap(path.join(this.folder, name), realm).catch(() => undefined))
        );
        return reaped.flatMap(pid => pid ?? []);
    }

    private async reap(file: string, realm: string | undefined): Promise<number | undefined> {
        const parsed = instance.safeParse(await this.readJson(file));
        // Whether the processes of another container live cannot be seen from here; of an earlier boot none does, but which is which
        // is not known. One that cannot be read is nobody's.
        if (parsed.success && parsed.data.backend.realm !== realm) {
            const { mtimeMs } = await fs.stat(file);
            return Date.now() - mtimeMs > STALE ? void (await fs.rm(file, { force: true })) : undefined;
        }
        if (parsed.success && (await ProcessIdentity.isAlive(parsed.data.backend))) {
            return undefined;
        }
        const orphan = parsed.success && (await this.recognise(parsed.data)) ? parsed.data.daemon : undefined;
        if (orphan) {
            await this.end(orphan);
        }
        await fs.rm(file, { force: true });
        return orphan?.pid;
    }

    private async recognise({ daemon, workspace }: Instance): Promise<boolean> {
        const line = await ProcessIdentity.commandLine(daemon.pid);
        const serve = line.indexOf('serve');
        return serve > 0 && line[line.indexOf('--workspace', serve) + 1] === workspace && (await ProcessIdentity.isAlive(daemon));
    }

    private async end(orphan: ProcessIdentity): Promise<void> {
        const signal = (name: NodeJS.Signals): void => {
            try {
                process.kill(orphan.pid, name);
            } catch {
                // Gone meanwhile.
            }
        };
        signal('SIGTERM');
        for (const end = Date.now() + KILL_AFTER; Date.now() < end;) {
            await new Promise(resolve => setTimeout(resolve, 100));
            if (!(await ProcessIdentity.isAlive(orphan))) {
                return;
            }
        }
        signal('SIGKILL');
    }

    private async readJson(file: string): Promise<unknown> {
        try {
            return JSON.parse(await fs.readFile(file, 'utf8'));
        } catch {
            return undefined;
        }
    }
}
