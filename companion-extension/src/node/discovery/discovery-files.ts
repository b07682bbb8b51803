// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess, NoAnswer } from '../host/file-access';
import { Problems } from '../host/problems';
import { FaultError } from '../host/fault-error';
import { isInside } from '../host/paths';
import { TEMPORARY_FILE } from './atomic-file';
import { FileOnDisk, FoundFile } from './file-on-disk';
import { IdeIdentity } from './ide-identity';
import { MARKER_PROPERTY, ProcessMarker, ProcessMarkers, TOUCH_PERIOD_MS, UNTOUCHED_MS } from './process-marker';
import { SecureFolder } from './secure-folder';
import { DiscoveryFile, ServerPlace, StaleFilePattern, SupportedCli } from './supported-cli';
import { SupportedClis } from './supported-clis';

/** The facts that the CLIs must find out about a server. */
interface PublishSubject extends ServerPlace {
    /** Tokens by the CLIs' ids. A CLI without a token gets no file. */
    readonly tokens: ReadonlyMap<string, string>;
}

/** How many files of one folder are looked at: everybody may make as many in one below the temporary folder. */
const MAX_FILES = 1000;

interface PublishedFile {
    readonly file: FileOnDisk;
    readonly folder: SecureFolder;
    readonly text: string;
    /** For `FileAccess`. */
    readonly place: string;
}

/** The port of a server; a name where it has none. */
type PublicationKey = number | string;
/** Finds the files that a CLI is to have. */
type Describe = (cli: SupportedCli) => Promise<DiscoveryFile[]>;

/** One server, as it is published. */
interface Publication {
    readonly key: PublicationKey;
    describe: Describe;
    /** Keyed by the CLIs' ids. */
    readonly files: Map<string, readonly PublishedFile[]>;
    pending: Promise<boolean>;
    timer?: NodeJS.Timeout;
    ended: boolean;
}

/**
 * The discovery files of all servers: writes them, restores them while a server lives, removes them with it, and sweeps those of backends
 * that were killed. Tokens stand here and nowhere else.
 */
@injectable()
export class DiscoveryFiles {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;
    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(ILogger)
    @named('companion:DiscoveryFiles')
    protected readonly logger: ILogger;

    /** Until the files are looked at again: somebody may have removed one, or the cause of a problem may be gone. */
    protected readonly periodMs: number = 2_000;
    /** Until a file system that did not answer is swept again. */
    protected readonly sweepAgainMs: number = 30_000;
    protected readonly publications = new Map<PublicationKey, Publication>();
    protected marker: ProcessMarker;

    @postConstruct()
    protected init(): void {
        this.marker = this.markers.markerOf();
    }

    /**
     * Writes the files of a server, or writes them again if something has changed; those that are not needed any more go. Never rejects, and
     * ends soon even if a file system does not answer.
     *
     * @returns whether every file is there. What keeps one away is reported as a problem, and tried again by itself.
     */
    publish({ port, roots, tokens }: PublishSubject): Promise<boolean> {
        return this.publishAs(port, async cli => {
            const token = tokens.get(cli.id);
            return token === undefined ? [] : cli.discoveryFiles({ port, roots, token, identity: this.identity });
        });
    }

    /** Does as {@link publish}, for a server that not every CLI finds in the same way. */
    publishAs(key: PublicationKey, describe: Describe): Promise<boolean> {
        let publication = this.publications.get(key);
        if (!publication) {
            publication = { key, describe, files: new Map(), pending: Promise.resolve(true), ended: false };
            this.publications.set(key, publication);
        }
        return this.publishAgain(Object.assign(publication, { describe }));
    }

    /** Takes every file of a server away. Never rejects, and ends soon even if a file system does not answer. */
    async remove(key: PublicationKey): Promise<void> {
        const publication = this.publications.get(key);
        if (publication) {
            this.publications.delete(key);
            this.end(publication);
            const files = [...publication.files.values()].flat();
            files.forEach(({ file }) => file.withdraw());
            await Promise.all(files.map(file => this.removeInTime(file)));
        }
    }

    /** Removes the files of all servers at the end of the process: at once, and with any that is just being written. */
    removeSync(): void {
        for (const publication of this.publications.values()) {
            // It stays known, so that nothing is published for it any more.
            this.end(publication);
            for (const { file, place } of [...publication.files.values()].flat()) {
                if (this.fileAccess.isOverdue(place)) {
                    // Its file system would keep the process from ending. The next start sweeps.
                    file.withdraw();
                } else {
                    file.removeSync(this.marker);
                }
            }
        }
    }

    /** Sweeps now, without being waited for, and when what a pod that was killed just before has left counts as left behind. */
    startSweeping(): void {
        void this.sweep();
        setTimeout(() => void this.sweep(), UNTOUCHED_MS + TOUCH_PERIOD_MS).unref();
    }

    /** Takes away what killed backends have left. @returns how many files were removed. Never rejects. */
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

    /** Finds the files in a folder that are the user's own and whose process lives. Empty if there is no such folder. */
    async find(folder: string, isMeant: (name: string) => boolean): Promise<FoundFile[]> {
        const names = await fs.readdir(folder).catch(() => []);
        const found: FoundFile[] = [];
        // One at a time: a file system that does not answer holds one thread of Node's, and not all.
        for (const name of names.filter(isMeant).slice(0, MAX_FILES)) {
            const file = await new FileOnDisk(path.join(folder, name), this.host).find();
            found.push(...(file ? [file] : []));
        }
        return found;
    }

    protected publishAgain(publication: Publication): Promise<boolean> {
        publication.pending = publication.pending.then(() => this.ensureAll(publication));
        return publication.pending;
    }

    protected end(publication: Publication): void {
        publication.ended = true;
        clearTimeout(publication.timer);
        this.clis.all.forEach(cli => this.report(cli, publication, undefined));
    }

    protected async ensureAll(publication: Publication): Promise<boolean> {
        clearTimeout(publication.timer);
        const complete = await Promise.all(this.clis.all.map(cli => this.ensureOf(cli, publication)));
        if (!publication.ended) {
            publication.timer = setTimeout(() => void this.publishAgain(publication), this.periodMs).unref();
        }
        return complete.every(Boolean);
    }

    /** @returns whether all files of the CLI are there */
    protected async ensureOf(cli: SupportedCli, publication: Publication): Promise<boolean> {
        const error = await this.failureOf(cli, publication);
        if (publication.ended) {
            return false;
        }
        this.report(cli, publication, error);
        return error === undefined;
    }

    /** Reports one problem for each CLI: its files mostly fail for one and the same reason. */
    protected report(cli: SupportedCli, { key }: Publication, error: unknown): void {
        this.problems.report(`discovery files of ${cli.id} for port ${key}`, error === undefined ? [] : [problemOf(cli, error)]);
    }

    /** Writes the files of the CLI. @returns why the first of them is not there, if so */
    protected async failureOf(cli: SupportedCli, publication: Publication): Promise<unknown> {
        const { fileAccess } = this;
        try {
            const described = await fileAccess.run(cli.readFolder ?? cli.id, () => publication.describe(cli));
            const files = described.map(file => this.locate(file));
            if (publication.ended) {
                return undefined;
            }
            await this.replacePublished(cli, publication, files);
            const writing = await Promise.allSettled(
                files.map(({ file, folder, text, place }) => fileAccess.run(place, () => file.ensure(folder, text)))
            );
            return writing.find(result => result.status === 'rejected')?.reason;
        } catch (error) {
            return error;
        }
    }

    /** The files of before write nothing any more, even if their file system answers only now. */
    protected async replacePublished(cli: SupportedCli, publication: Publication, files: readonly PublishedFile[]): Promise<void> {
        const paths = new Set(files.map(({ file }) => file.path));
        const before = publication.files.get(cli.id) ?? [];
        publication.files.set(cli.id, files);
        before.forEach(({ file }) => file.withdraw());
        await Promise.all(before.filter(({ file }) => !paths.has(file.path)).map(file => this.removeInTime(file)));
    }

    /** Removes a file, and tries again if its file system does not answer. */
    protected async removeInTime(published: PublishedFile): Promise<void> {
        try {
            await this.fileAccess.run(published.place, () => published.file.remove(this.marker));
        } catch (error) {
            if (error instanceof NoAnswer) {
                setTimeout(() => void this.removeInTime(published), this.periodMs).unref();
            }
        }
    }

    protected locate({ folder: location, name, content }: DiscoveryFile): PublishedFile {
        const folder = new SecureFolder(location, this.host, this.logger);
        return {
            file: new FileOnDisk(path.join(folder.path, name), this.host),
            folder,
            text: JSON.stringify({ ...content, [MARKER_PROPERTY]: this.marker }),
            place: location.base
        };
    }

    protected async sweepFilesOf(cli: SupportedCli): Promise<number> {
        const source = `sweep of ${cli.id}`;
        let removed = 0;
        try {
            for (const pattern of await this.fileAccess.run(cli.readFolder ?? cli.id, () => cli.staleFilePatterns())) {
                removed += await this.sweepFolder(pattern);
            }
            this.problems.report(source, []);
        } catch (error) {
            this.problems.report(source, [{ code: 'old-files-stay', cliName: cli.displayName, fault: FaultError.faultOf(error) }]);
            if (error instanceof NoAnswer) {
                setTimeout(() => void this.sweepFilesOf(cli), this.sweepAgainMs).unref();
            }
        }
        return removed;
    }

    /** One file at a time: if each takes long, others who look into the same folder wait only for one of them. */
    protected async sweepFolder({ folder: location, name }: StaleFilePattern): Promise<number> {
        const folder = new SecureFolder(location, this.host);
        const { base } = location;
        const names = await this.fileAccess.run(base, () => this.namesIn(folder));
        const candidates = names.filter(file => name.test(file) || TEMPORARY_FILE.test(file));
        let removed = 0;
        for (const candidate of candidates.slice(0, MAX_FILES)) {
            const file = new FileOnDisk(path.join(folder.path, candidate), this.host);
            removed += (await this.fileAccess.run(base, () => file.sweep(this.markers))) ? 1 : 0;
        }
        return removed;
    }

    protected async namesIn(folder: SecureFolder): Promise<string[]> {
        if (await folder.findFault()) {
            return [];
        }
        return fs.readdir(folder.path).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOENT') {
                throw error;
            }
            return [];
        });
    }
}

/** Tells whether a folder lies in those that the file is for. */
export function isFor({ roots }: FoundFile, folder: string): boolean {
    return roots.some(root => isInside(root, folder));
}

function problemOf({ displayName }: SupportedCli, error: unknown): CompanionProblem {
    const fault = FaultError.faultOf(error);
    return { code: 'cannot-connect', cliName: displayName, fault: fault.code === 'failed' ? { ...fault, code: 'not-published' } : fault };
}
