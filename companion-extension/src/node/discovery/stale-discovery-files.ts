// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, FileAccessQueues } from '../host/file-access-queues';
import { FaultError, Problems } from '../host/problems';
import { TEMPORARY_FILE } from './atomic-file';
import { markerIn, ProcessMarkers, TOUCH_PERIOD, UNTOUCHED } from './process-marker';
import { MAX_DISCOVERY_FILE, MAX_FILES } from './found-files';
import { SecureFolder } from './secure-folder';
import { StaleFilePattern, SupportedCli, SupportedClis } from './supported-cli';

/** Takes away what backends that were killed have left. Trusts nothing but our own marker in our own user's files. */
@injectable()
export class StaleDiscoveryFiles implements BackendApplicationContribution {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;

    @inject(Problems)
    protected readonly problems: Problems;

    @inject(ILogger)
    @named('companion:StaleDiscoveryFiles')
    protected readonly logger: ILogger;

    /** Until a file system that did not answer is asked again, in milliseconds. */
    protected readonly retryAfter: number = 30_000;

    /** The start does not wait for it. What a pod that was killed just before has left counts as left behind only later. */
    initialize(): void {
        void this.sweep();
        setTimeout(() => void this.sweep(), UNTOUCHED + TOUCH_PERIOD).unref();
    }

    /** @returns how many files were removed. Never rejects. */
    async sweep(): Promise<number> {
        let removed = 0;
        for (const cli of this.clis.all) {
            removed += await this.sweepFilesOf(cli);
        }
        if (removed > 0) {
            this.logger.info(`${removed} discovery files of ended backends removed`);
        }
        return removed;
    }

    protected async sweepFilesOf(cli: SupportedCli): Promise<number> {
        const source = `sweep of ${cli.id}`;
        let removed = 0;
        try {
            const folder = cli.readFolder;
            const queue = folder === undefined ? cli.id : this.tasks.queueOf(folder);
            for (const pattern of await this.tasks.run(queue, () => cli.staleFilePatterns())) {
                removed += await this.sweepFolder(pattern);
            }
            this.problems.report(source, []);
        } catch (error) {
            this.problems.report(source, [{ code: 'old-files-stay', cliName: cli.displayName, fault: FaultError.faultOf(error) }]);
            if (error instanceof NoAnswer) {
                setTimeout(() => void this.sweepFilesOf(cli), this.retryAfter).unref();
            }
        }
        return removed;
    }

    /** One file at a time: if each takes long, others who look into the same folder wait only for one of them. */
    protected async sweepFolder(pattern: StaleFilePattern): Promise<number> {
        const folder = new SecureFolder(pattern.folder, this.host);
        const queue = this.tasks.queueOf(folder.path, pattern.folder.base);
        const names = await this.tasks.run(queue, () => this.candidates(folder, pattern.name));
        let removed = 0;
        for (const name of names.slice(0, MAX_FILES)) {
            removed += (await this.tasks.run(queue, () => this.removeIfStale(path.join(folder.path, name)))) ? 1 : 0;
        }
        return removed;
    }

    protected async candidates(folder: SecureFolder, name: RegExp): Promise<string[]> {
        if (await folder.findFault()) {
            return [];
        }
        const files = await fs.promises.readdir(folder.path).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOENT') {
                throw error;
            }
            return [];
        });
        return files.filter(file => name.test(file) || TEMPORARY_FILE.test(file));
    }

    protected async removeIfStale(file: string): Promise<boolean> {
        try {
            const stat = await fs.promises.lstat(file);
            if (!stat.isFile() || (this.host.uid !== undefined && stat.uid !== this.host.uid)) {
                return false;
            }
            // Writing a discovery file takes milliseconds: an old half was left by a process that has ended.
            const stale = TEMPORARY_FILE.test(path.basename(file))
                ? Date.now() - stat.mtimeMs > UNTOUCHED
                : await this.isOrphan(file, stat);
            // Another backend may have put its own file there meanwhile: it got the port of the dead one.
            const isSame = stale && (await fs.promises.lstat(file)).ino === stat.ino;
            if (isSame) {
                await fs.promises.unlink(file);
            }
            return isSame;
        } catch {
            // Gone meanwhile, unreadable, or not JSON: not ours to judge.
            return false;
        }
    }

    protected async isOrphan(file: string, stat: fs.Stats): Promise<boolean> {
        if (stat.size > MAX_DISCOVERY_FILE) {
            return false;
        }
        const marker = markerIn(JSON.parse(await fs.promises.readFile(file, 'utf8')));
        return marker !== undefined && this.markers.isGone(marker, stat.mtimeMs);
    }
}
