// SPDX-License-Identifier: Apache-2.0

import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, FileAccessQueues } from '../host/file-access-queues';
import { FaultError, Problems } from '../host/problems';
import { IdeIdentity } from './ide-identity';
import { MARKER_PROPERTY, ProcessMarker, ProcessMarkers } from './process-marker';
import { PublishedFile } from './published-file';
import { ServerPlace, SupportedCli, SupportedClis } from './supported-cli';

/** What the CLIs must find out about a server. */
export interface PublishSubject extends ServerPlace {
    /** By the CLIs' ids. A CLI without a token gets no file. */
    readonly tokens: ReadonlyMap<string, string>;
}

export const DiscoveryFilesFactory = Symbol('DiscoveryFilesFactory');
/** Makes the discovery files of one more server. */
export type DiscoveryFilesFactory = () => DiscoveryFiles;

/**
 * The discovery files of one server: writes them, restores them while the server lives, and removes them with it. Tokens stand
 * here and nowhere else.
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
    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;
    @inject(Problems)
    protected readonly problems: Problems;

    /** Until the files are looked at again, in milliseconds: somebody may have removed one, or the cause of a problem may be gone. */
    protected readonly period: number = 2_000;
    protected marker: ProcessMarker;
    protected subject: PublishSubject | undefined;
    /** By the CLIs' ids. */
    protected readonly published = new Map<string, readonly PublishedFile[]>();
    protected timer: NodeJS.Timeout | undefined;
    protected stopped = false;
    protected pending: Promise<unknown> = Promise.resolve();

    @postConstruct()
    protected init(): void {
        this.marker = this.markers.markerOf();
    }

    /**
     * Writes the files, or writes them again if something has changed; those that are not needed any more go. Never rejects, and
     * ends soon even if a file system does not answer.
     *
     * @returns whether every file is there. What keeps one away is reported as a problem, and tried again by itself.
     */
    publish(subject: PublishSubject): Promise<boolean> {
        this.subject = subject;
        const result = this.pending.then(() => this.ensureAll(subject));
        this.pending = result;
        return result;
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
            if (this.tasks.isOverdue(file.queue)) {
                // Its file system would keep the process from ending. The next start sweeps.
                file.withdraw();
            } else {
                file.removeSync();
            }
        }
    }

    dispose(): void {
        this.stopped = true;
        clearTimeout(this.timer);
        this.clis.all.forEach(cli => this.report(cli, undefined));
    }

    protected async ensureAll(subject: PublishSubject): Promise<boolean> {
        clearTimeout(this.timer);
        const complete = await Promise.all(this.clis.all.map(cli => this.ensureOf(cli, subject)));
        if (!this.stopped) {
            this.timer = setTimeout(() => this.subject && void this.publish(this.subject), this.period).unref();
        }
        return complete.every(Boolean);
    }

    protected report(cli: SupportedCli, error: unknown): void {
        const source = `discovery files of ${cli.id} for port ${this.subject?.port}`;
        // One for each CLI: its files mostly fail for one and the same reason.
        this.problems.report(source, error === undefined ? [] : [problemOf(cli, error)]);
    }

    /** @returns whether all files of the CLI are there */
    protected async ensureOf(cli: SupportedCli, subject: PublishSubject): Promise<boolean> {
        const error = await this.failureOf(cli, subject);
        if (this.stopped) {
            return false;
        }
        this.report(cli, error);
        return error === undefined;
    }

    /** Writes the files of the CLI. @returns why the first of them is not there, if so */
    protected async failureOf(cli: SupportedCli, subject: PublishSubject): Promise<unknown> {
        const { tasks } = this;
        try {
            const folder = cli.readFolder;
            const queue = folder === undefined ? cli.id : tasks.queueOf(folder);
            const files = await tasks.run(queue, () => this.filesOf(cli, subject));
            if (this.stopped) {
                return undefined;
            }
            await this.replacePublished(cli, files);
            const writing = await Promise.allSettled(files.map(file => tasks.run(file.queue, () => file.ensure())));
            return writing.find(result => result.status === 'rejected')?.reason;
        } catch (error) {
            return error;
        }
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
            await this.tasks.run(file.queue, () => file.remove());
        } catch (error) {
            if (error instanceof NoAnswer) {
                setTimeout(() => void this.removeInTime(file), this.period).unref();
            }
        }
    }

    protected async filesOf(cli: SupportedCli, { port, roots, tokens }: PublishSubject): Promise<PublishedFile[]> {
        const { marker, host, identity, tasks } = this;
        const token = tokens.get(cli.id);
        const files = token === undefined ? [] : await cli.discoveryFiles({ port, roots, token, identity });
        return files.map(
            file => new PublishedFile(file, JSON.stringify({ ...file.content, [MARKER_PROPERTY]: marker }), marker, host, tasks)
        );
    }
}

function problemOf({ displayName }: SupportedCli, error: unknown): CompanionProblem {
    const fault = FaultError.faultOf(error);
    return { code: 'cannot-connect', cliName: displayName, fault: fault.code === 'failed' ? { ...fault, code: 'not-published' } : fault };
}
