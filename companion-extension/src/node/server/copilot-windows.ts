// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CopilotServer, LockedFolder, PlacedCli } from '../copilot/copilot-server';
import { SocketPlace } from '../copilot/socket-place';
import { WINDOW_PORT_VARIABLE } from '../discovery/claude-family-cli';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { IdeIdentity } from '../discovery/ide-identity';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { FaultError } from '../host/fault-error';
import { FileAccess } from '../host/file-access';
import { HostEnvironment } from '../host/host-environment';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { ListenerBudget } from '../mcp/listener-budget';
import { RefusalLog } from '../mcp/refusal-log';
import { SERVER_INFO } from './window';
import { Windows } from './windows';

const SOURCE = 'server of Copilot CLI';

/** The windows as Copilot CLI sees them: all behind one socket, from the first open folder until the backend ends. */
@injectable()
export class CopilotWindows {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;
    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;
    @inject(ListenerBudget)
    protected readonly budget: ListenerBudget;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(FileAccess)
    protected readonly tasks: FileAccess;
    @inject(ILogger)
    @named('companion:CopilotWindows')
    protected readonly logger: ILogger;

    protected starting: Promise<CopilotServer> | undefined;
    protected listening: CopilotServer | undefined;
    protected published = '[]';
    protected stopped = false;

    /**
     * Tells the CLI which folders are open, and which of them are trusted. Never rejects: a window that it does not find still serves all others.
     *
     * @returns whether the server listens, if it has to
     */
    async publish(): Promise<boolean> {
        const folders = this.openFolders();
        const key = JSON.stringify(folders);
        if (this.stopped || this.served.length === 0 || key === this.published) {
            return true;
        }
        this.published = key;
        try {
            this.listening = await (this.starting ??= this.start());
            this.problems.report(SOURCE, []);
            await this.listening.publish(folders);
            return true;
        } catch (error) {
            this.starting = undefined;
            this.published = '[]';
            this.report(error);
            return false;
        }
    }

    /** Its socket, and the folders in which the CLI finds it. */
    get server(): { port: number; roots: readonly string[]; socketPath: string } | undefined {
        return this.listening && { port: 0, roots: this.listening.folders, socketPath: this.listening.socketPath };
    }

    async stop(): Promise<void> {
        this.stopped = true;
        await (await this.starting?.catch(() => undefined))?.stop();
    }

    /** The CLIs that it serves. */
    protected get served(): readonly SupportedCli[] {
        return this.clis.all.filter(({ lockOf }) => lockOf);
    }

    /** One lock for each: a CLI takes any of two for one folder. What is trusted in every window that has it, is trusted. */
    protected openFolders(): LockedFolder[] {
        const open = this.windows.open();
        const folders = [...new Set(open.flatMap(({ roots }) => roots))];
        return folders.map(folder => {
            const those = open.filter(({ roots }) => roots.includes(folder));
            return { folder, isTrusted: those.every(({ context }) => context?.workspaceState?.isTrusted === true) };
        });
    }

    /**
     * The window of a folder whose terminal a CLI runs in; else the one that had the focus last. What the CLI says of its process counts as
     * far as the system confirms it.
     */
    protected async place(folder: string, pid: number | undefined): Promise<PlacedCli | undefined> {
        const details = pid === undefined ? undefined : await this.processes.details(pid);
        const isCli = details?.folder === folder && this.served.some(cli => cli === this.clis.ofProcess(details.command));
        const startTime = isCli ? this.processes.startTime(details.pid) : undefined;
        const peer = isCli && startTime !== undefined ? { pid: details.pid, startTime, folder } : undefined;
        const port = peer && details?.variables[WINDOW_PORT_VARIABLE];
        const open = this.windows.open().filter(({ roots }) => roots.includes(folder));
        const [last] = [...open].sort((a, b) => Number(b.live) - Number(a.live) || b.focusedAt - a.focusedAt);
        const window = open.find(({ server }) => server?.port === Number(port)) ?? last;
        return window && { window, peer };
    }

    protected async start(): Promise<CopilotServer> {
        const { files, identity, processes, budget, logger } = this;
        const options = { clis: this.served, serverInfo: SERVER_INFO, files, identity, processes, budget, logger };
        const socketPath = await new SocketPlace(this.host, this.tasks).make();
        return CopilotServer.start(
            { ...options, place: (folder, pid) => this.place(folder, pid), refusals: new RefusalLog(logger) },
            socketPath
        );
    }

    protected report(error: unknown): void {
        if (error instanceof FaultError) {
            const [{ displayName: cliName }] = this.served;
            this.problems.report(SOURCE, [{ code: 'cannot-connect', cliName, fault: error.fault }]);
        } else {
            this.problems.reportFailedStart(SOURCE, error);
        }
    }
}
