// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { visibleText } from '../../common/visible-text';
import { ClaudeServer } from '../claude/claude-server';
import type { SessionWindow } from '../claude/claude-session';
import { DiscoveryFiles, isFor } from '../discovery/discovery-files';
import { SecureFolder } from '../discovery/secure-folder';
import { ClaudeFamily, ServerPlace } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { isInside } from '../host/paths';
import { RefusalLog } from '../mcp/refusal-log';
import { ListenerBudget } from '../mcp/listener-budget';
import { SERVER_INFO } from './window';
import { Windows } from './windows';
import { UnplacedClis } from './unplaced-clis';

/** The servers of CLIs that speak Claude Code's protocol: one for each family, from the first open folder until the backend ends. */
@injectable()
export class ClaudeServers {
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
    protected readonly tasks: FileAccess;

    @inject(ILogger)
    @named('companion:ClaudeServers')
    protected readonly logger: ILogger;

    protected unplaced: UnplacedClis;
    protected servers: Promise<readonly ClaudeServer[]> | undefined;
    /** The {@link servers} that listen. */
    protected listening: readonly ClaudeServer[] = [];
    protected published = '';
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.unplaced = new UnplacedClis(this.problems, id => this.clis.nameOf(id));
    }

    /**
     * Tells the CLIs which folders are open. Never rejects: a window that these CLIs do not find still serves all others.
     *
     * @returns whether the servers listen, if they have to
     */
    async publish(): Promise<boolean> {
        const folders = [...new Set(this.windows.open().flatMap(window => window.folders))];
        const key = folders.join('\0');
        if (this.stopped || (folders.length === 0 && !this.servers) || key === this.published) {
            return true;
        }
        this.published = key;
        try {
            this.listening = await (this.servers ??= this.start());
            this.problems.report('servers of Claude Code', []);
        } catch (error) {
            this.servers = undefined;
            this.published = '';
            this.problems.reportFailedStart('servers of Claude Code', error);
            return false;
        }
        await Promise.all(this.listening.map(server => server.publish(folders)));
        return true;
    }

    /**
     * Says in a window's status which other IDE keeps the CLIs from connecting by themselves. Never rejects, and ends soon even if a file
     * system does not answer.
     */
    async lookForOtherIdes({ id, folders }: { readonly id: string; readonly folders: readonly string[] }): Promise<void> {
        const { homeFolder } = this.host;
        const find = (): Promise<CompanionProblem[][]> => Promise.all(this.listening.map(server => this.otherIdes(server, folders)));
        // A window that is gone has no folders. Its report goes, whether the file system answers or not.
        const problems = folders.length === 0 ? [] : await this.tasks.run(homeFolder, find).catch(() => undefined);
        if (problems) {
            this.problems.report(`other IDEs of ${id}`, problems.flat(), id);
        }
    }

    /** Its port, and the folders by which its CLIs find it. */
    serverOf(family: ClaudeFamily): ServerPlace | undefined {
        return this.listening.find(server => server.family === family);
    }

    async stop(): Promise<void> {
        this.stopped = true;
        const servers = await this.servers?.catch(() => []);
        await Promise.all((servers ?? []).map(server => server.stop()));
    }

    /** For the first CLI of the family: all have one lock. */
    protected async otherIdes(server: ClaudeServer, folders: readonly string[]): Promise<CompanionProblem[]> {
        const cli = this.clis.all.find(({ family }) => family === server.family);
        const patterns = (await cli?.staleFilePatterns()) ?? [];
        const locks = patterns.map(({ folder, name }) =>
            this.files.find(new SecureFolder(folder, this.host).path, file => name.test(file))
        );
        const others = (await Promise.all(locks))
            .flat()
            .filter(file => file.port !== server.port && folders.some(folder => isFor(file, folder)));
        return others.map(({ ideName, path: file }) => ({
            code: 'other-ide',
            cliName: cli?.displayName ?? '',
            ide: visibleText(ideName),
            file
        }));
    }

    /**
     * The server of the window that a process runs in: as its terminal says, or else of the window with its folder that had the focus last. If
     * neither is known, of any window if all have the same roots; else the process might belong to another project.
     */
    protected windowOf(port: number | undefined, folder: string | undefined): SessionWindow | undefined {
        const open = this.windows.open();
        const own = open.find(({ server }) => server?.port === port);
        if (!own && folder === undefined && open.slice(1).some(({ roots }) => !open[0].hasRoots(roots))) {
            return this.unplaced;
        }
        const [last] = open
            .filter(({ folders }) => folder === undefined || folders.some(root => isInside(root, folder)))
            .sort((a, b) => Number(b.live) - Number(a.live) || b.focusedAt - a.focusedAt);
        return own ?? last;
    }

    protected async start(): Promise<readonly ClaudeServer[]> {
        const clis = this.clis.all.flatMap(({ id, family, clientName = '' }) => (family ? { id, family, clientName } : []));
        const started: ClaudeServer[] = [];
        try {
            for (const family of new Set(clis.map(cli => cli.family))) {
                const server = await ClaudeServer.start({
                    family,
                    clis: clis.filter(cli => cli.family === family),
                    serverInfo: SERVER_INFO,
                    files: this.files,
                    processes: this.processes,
                    windowOf: (port, folder) => this.windowOf(port, folder),
                    budget: this.budget,
                    refusals: new RefusalLog(this.logger)
                });
                started.push(server);
            }
        } catch (error) {
            await Promise.all(started.map(server => server.stop()));
            throw error;
        }
        return started;
    }
}
