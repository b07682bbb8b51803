// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, FileAccessQueues, queueOf } from '../host/file-access-queues';
import { faultOf, Problems } from '../host/problems';
import { DEFAULT_WATCH_TIMINGS, FolderWatcher, WatchTimings } from './folder-watcher';
import { IdeIdentity } from './ide-identity';
import { MARKER_PROPERTY, ProcessMarker, ProcessMarkers } from './process-marker';
import { PublishedFile } from './published-file';
import { FolderUser } from './secure-folder';
import { SupportedCli } from './supported-cli';

/** What the CLIs must find out about a server. */
export interface PublishSubject {
    readonly port: number;
    /** Absolute real paths that the CLIs can express. */
    readonly roots: readonly string[];
    /** By the CLIs' ids. A CLI without a token gets no file. */
    readonly tokens: ReadonlyMap<string, string>;
}

export interface DiscoveryFilesOptions {
    readonly clis: readonly SupportedCli[];
    readonly identity: IdeIdentity;
    /** This process's. */
    readonly marker: ProcessMarker;
    readonly user: FolderUser;
    /** Shared by all servers of a backend: their files lie in the same folders. */
    readonly tasks: FileAccessQueues;
    readonly problems: Problems;
    readonly timings?: WatchTimings;
}

/** How often files are written again in {@link REPAIR_PERIOD}: two programs that overwrite each other's files must not do so for ever. */
const MAX_REPAIRS = 20;
/** In milliseconds. */
const REPAIR_PERIOD = 60_000;

/** What became of the files of one CLI. */
interface Outcome {
    readonly written: number;
    /** Those of its folders that answered. */
    readonly folders: readonly string[];
    /** One for each CLI: its files mostly fail for one and the same reason. */
    readonly problem?: CompanionProblem;
}

/** What became of all files. */
interface Ensured extends Pick<Outcome, 'written' | 'folders'> {
    /** Every file is there. */
    readonly complete: boolean;
}

/**
 * The discovery files of one server: writes them, restores them while the server lives, and removes them with it. Tokens stand
 * here and nowhere else.
 */
export class DiscoveryFiles {
    protected readonly watcher: FolderWatcher;
    protected subject: PublishSubject | undefined;
    /** By the CLIs' ids. */
    protected readonly published = new Map<string, readonly PublishedFile[]>();
    /** Whether every file was there when the folders were last watched anew. */
    protected complete = false;
    protected repairs: number[] = [];
    protected repairQueued = false;
    protected stopped = false;
    protected pending: Promise<unknown> = Promise.resolve();

    constructor(protected readonly options: DiscoveryFilesOptions) {
        this.watcher = new FolderWatcher(() => this.queueRepair(), this.timings);
    }

    protected get timings(): WatchTimings {
        return this.options.timings ?? DEFAULT_WATCH_TIMINGS;
    }

    /**
     * Writes the files, or writes them again if something has changed; those that are not needed any more go. Never rejects, and
     * ends soon even if a file system does not answer.
     *
     * @returns whether every file is there. What keeps one away is reported as a problem, and tried again by itself.
     */
    publish(subject: PublishSubject): Promise<boolean> {
        this.subject = subject;
        return this.enqueue(async () => {
            const ensured = await this.ensureAll();
            this.watch(ensured);
            return ensured.complete;
        });
    }

    /** Takes every file away. Nothing is published after that. Never rejects, and ends soon even if a file system does not answer. */
    async remove(): Promise<void> {
        this.dispose();
        const files = [...this.published.values()].flat();
        files.forEach(file => file.withdraw());
        await Promise.all(files.map(file => this.removeInTime(file)));
    }

    /** As {@link remove} at the end of the process: at once, and with any file that is just being written. */
    removeSync(): void {
        this.dispose();
        for (const file of [...this.published.values()].flat()) {
            if (this.options.tasks.isOverdue(file.queue)) {
                // Its file system would keep the process from ending. The next start sweeps.
                file.withdraw();
            } else {
                file.removeSync();
            }
        }
    }

    dispose(): void {
        this.stopped = true;
        this.watcher.dispose();
        this.options.clis.forEach(cli => this.report(cli, undefined));
    }

    protected async ensureAll(): Promise<Ensured> {
        const { subject } = this;
        if (this.stopped || !subject) {
            return { written: 0, folders: [], complete: false };
        }
        const outcomes = await Promise.all(
            this.options.clis.map(async cli => {
                const outcome = await this.ensureInTime(cli, subject);
                if (!this.stopped) {
                    this.report(cli, outcome.problem);
                }
                return outcome;
            })
        );
        return {
            written: outcomes.reduce((sum, { written }) => sum + written, 0),
            folders: outcomes.flatMap(({ folders }) => folders),
            complete: outcomes.every(({ problem }) => !problem)
        };
    }

    protected report(cli: SupportedCli, problem: CompanionProblem | undefined): void {
        this.options.problems.report(`discovery files of ${cli.id} for port ${this.subject?.port}`, problem ? [problem] : []);
    }

    protected async ensureInTime(cli: SupportedCli, subject: PublishSubject): Promise<Outcome> {
        const { tasks } = this.options;
        let files: PublishedFile[];
        try {
            const folder = cli.readFolder;
            const queue = folder === undefined ? cli.id : queueOf(folder);
            files = await tasks.run(queue, () => this.filesOf(cli, subject));
        } catch (error) {
            return { written: 0, folders: [], problem: problemOf(cli, error) };
        }
        if (this.stopped) {
            return { written: 0, folders: [] };
        }
        await this.replacePublished(cli, files);
        let written = 0;
        let failure: unknown;
        const silent = new Set<string>();
        for (const file of files) {
            try {
                written += (await tasks.run(file.queue, () => file.ensure())) ? 1 : 0;
            } catch (error) {
                failure ??= error;
                if (error instanceof NoAnswer) {
                    silent.add(file.folder);
                }
            }
        }
        const folders = files.map(({ folder }) => folder).filter(folder => !silent.has(folder));
        return { written, folders, ...(failure === undefined ? {} : { problem: problemOf(cli, failure) }) };
    }

    /** The files of before write nothing any more, even if their file system answers only now. */
    protected async replacePublished(cli: SupportedCli, files: readonly PublishedFile[]): Promise<void> {
        const paths = new Set(files.map(({ path }) => path));
        const before = this.published.get(cli.id) ?? [];
        this.published.set(cli.id, files);
        before.forEach(file => file.withdraw());
        await Promise.all(before.filter(({ path }) => !paths.has(path)).map(file => this.removeInTime(file)));
    }

    /** What cannot be removed now is tried again: its file system may answer by then. */
    protected async removeInTime(file: PublishedFile): Promise<void> {
        try {
            await this.options.tasks.run(file.queue, () => file.remove());
        } catch (error) {
            if (error instanceof NoAnswer) {
                setTimeout(() => void this.removeInTime(file), this.timings.poll).unref();
            }
        }
    }

    protected async filesOf(cli: SupportedCli, { port, roots, tokens }: PublishSubject): Promise<PublishedFile[]> {
        const { marker, user, identity } = this.options;
        const token = tokens.get(cli.id);
        const files = token === undefined ? [] : await cli.discoveryFiles({ port, roots, token, identity });
        return files.map(file => new PublishedFile(file, JSON.stringify({ ...file.content, [MARKER_PROPERTY]: marker }), marker, user));
    }

    protected queueRepair(): void {
        if (!this.repairQueued) {
            this.repairQueued = true;
            void this.enqueue(() => {
                this.repairQueued = false;
                return this.repair();
            });
        }
    }

    /** Somebody removed or changed a file, or the cause of a problem is gone. */
    protected async repair(): Promise<void> {
        const now = Date.now();
        this.repairs = this.repairs.filter(time => now - time < REPAIR_PERIOD);
        if (this.stopped || this.repairs.length >= MAX_REPAIRS) {
            return;
        }
        const before = this.complete;
        const ensured = await this.ensureAll();
        if (ensured.written > 0) {
            this.repairs.push(now);
        }
        if (ensured.written > 0 || ensured.complete !== before) {
            this.watch(ensured);
        }
    }

    protected watch({ written, folders, complete }: Ensured): void {
        this.complete = complete;
        // What keeps a file away may be another file in its folder.
        const paths = [...this.published.values()].flat().map(({ path }) => path);
        this.watcher.watch(folders, complete ? new Set(paths) : undefined);
        if (written > 0) {
            // For what somebody did to the files before anybody watched.
            this.queueRepair();
        }
    }

    protected enqueue<T>(task: () => Promise<T>): Promise<T> {
        const result = this.pending.then(task);
        this.pending = result.catch(() => undefined);
        return result;
    }
}

function problemOf({ displayName }: SupportedCli, error: unknown): CompanionProblem {
    const fault = faultOf(error);
    return { code: 'cannot-connect', cliName: displayName, fault: fault.code === 'failed' ? { ...fault, code: 'not-published' } : fault };
}

/** Makes the discovery files of one more server. */
@injectable()
export class DiscoveryFilesFactory {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;

    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;

    @inject(Problems)
    protected readonly problems: Problems;

    create(): DiscoveryFiles {
        return new DiscoveryFiles(this.options);
    }

    protected get options(): DiscoveryFilesOptions {
        return {
            clis: this.clis.getContributions(),
            identity: this.identity,
            marker: this.markers.markerOf(),
            user: this.host,
            tasks: this.tasks,
            problems: this.problems
        };
    }
}
