// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CopilotServer, LockedFolder, PlacedCli } from './copilot-server';
import { SocketPlace } from './socket-place';
import { WINDOW_PORT_VARIABLE } from '../discovery/claude-family-cli';
import { IdeIdentity } from '../discovery/ide-identity';
import { SupportedCli } from '../discovery/supported-cli';
import { RefusalLog } from '../http/refusal-log';
import { SERVER_INFO, SharedPlace } from '../server/cli-server';
import { SharedServer } from '../server/shared-server';

/** The windows as Copilot CLI sees them: all behind one socket. */
@injectable()
export class CopilotWindows extends SharedServer<LockedFolder, CopilotServer> {
    @inject(IdeIdentity)
    protected readonly identity: IdeIdentity;
    @inject(ILogger)
    @named('companion:CopilotWindows')
    protected readonly logger: ILogger;
    protected readonly source = 'server of Copilot CLI';

    @postConstruct()
    protected init(): void {
        // A lock says whether its folder is trusted.
        this.windows.onDidChangeTrust(() => void this.publish());
    }

    /** Its socket, and the folders in which the CLI finds it. `undefined` while it does not listen. */
    get server(): SharedPlace | undefined {
        return this.listening?.socketPath ? { port: 0, roots: this.listening.folders, socketPath: this.listening.socketPath } : undefined;
    }

    protected get served(): readonly SupportedCli[] {
        return this.clis.all.filter(({ lockOf }) => lockOf);
    }

    /**
     * One lock for each: a CLI takes any of two for one folder. What is trusted in every window that has it, is trusted. A page that is loaded
     * does not know yet: as long as none does, the lock stays, and with it the sessions of its CLIs.
     */
    protected openFolders(): LockedFolder[] {
        const open = this.windows.open();
        const folders = [...new Set(open.flatMap(({ roots }) => roots))];
        return folders.map(folder => {
            const said = open.flatMap(({ roots, isTrusted }) => (roots.includes(folder) ? (isTrusted ?? []) : []));
            return { folder, isTrusted: said.length > 0 ? said.every(Boolean) : this.listening?.trusts(folder) === true };
        });
    }

    /**
     * The window of a folder whose terminal a CLI runs in; else the one that had the focus last. What the CLI says of its process counts as
     * far as the system confirms it.
     */
    protected async windowOf(folder: string, pid: number | undefined): Promise<PlacedCli | undefined> {
        const details = pid === undefined ? undefined : await this.processes.details(pid);
        const isCli = details?.folder === folder && this.served.some(cli => cli === this.clis.ofProcess(details.command));
        const startTime = isCli ? this.processes.startTime(details.pid) : undefined;
        const peer = isCli && startTime !== undefined ? { pid: details.pid, startTime, folder } : undefined;
        const port = peer && details?.variables[WINDOW_PORT_VARIABLE];
        const open = this.windows.open().filter(({ roots }) => roots.includes(folder));
        const window = open.find(({ server }) => server?.port === Number(port)) ?? this.lastOf(open);
        return window && { window, peer };
    }

    protected async start(): Promise<CopilotServer> {
        const { files, identity, processes, budget, logger } = this;
        return new CopilotServer({
            clis: this.served,
            serverInfo: SERVER_INFO,
            place: new SocketPlace(this.host),
            windowOf: (folder, pid) => this.windowOf(folder, pid),
            refusals: new RefusalLog(logger),
            files,
            identity,
            processes,
            budget,
            logger
        });
    }
}
