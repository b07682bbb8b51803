// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { HostEnvironment } from '../host/host-environment';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { ListenerBudget } from '../http/listener-budget';
import { CliServer, SharedPlace } from './cli-server';
import { Window } from './window';
import { Windows } from './windows';

/** What listens for CLIs, and tells them the open folders. */
interface Publisher<Folder> {
    publish(folders: readonly Folder[]): Promise<unknown>;
    stop(): Promise<void>;
}

/** The windows as CLIs see them that have one server for all windows. */
@injectable()
export abstract class SharedServer<Folder, Server extends Publisher<Folder>> implements CliServer {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;
    @inject(ListenerBudget)
    protected readonly budget: ListenerBudget;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    protected starting: Promise<Server> | undefined;
    protected listening: Server | undefined;
    protected published = '[]';
    protected stopped = false;

    abstract readonly server: SharedPlace | undefined;
    /** Of its problems. */
    protected abstract readonly source: string;
    /** The CLIs that it serves. */
    protected abstract readonly served: readonly SupportedCli[];
    protected abstract openFolders(): readonly Folder[];
    protected abstract start(): Promise<Server>;

    serves(cli: SupportedCli): boolean {
        return this.served.includes(cli);
    }

    /**
     * Tells the CLIs which folders are open. Never rejects: a window that these CLIs do not find still serves all others.
     *
     * @returns whether the server listens, if it has to
     */
    async publish(): Promise<boolean> {
        const folders = this.openFolders();
        const key = JSON.stringify(folders);
        // Without these CLIs nothing listens.
        if (this.stopped || this.served.length === 0 || key === this.published) {
            return true;
        }
        this.published = key;
        try {
            this.listening = await (this.starting ??= this.start());
        } catch (error) {
            this.starting = undefined;
            this.published = '[]';
            this.problems.reportFailedStart(this.source, error);
            return false;
        }
        await this.listening.publish(folders);
        this.problems.report(this.source, []);
        return true;
    }

    async stop(): Promise<void> {
        this.stopped = true;
        await (await this.starting?.catch(() => undefined))?.stop();
    }

    /** Of several windows: one with a page, and the one that had the focus last. */
    protected lastOf(windows: readonly Window[]): Window | undefined {
        return [...windows].sort((a, b) => Number(b.live) - Number(a.live) || b.focusedAt - a.focusedAt)[0];
    }
}
