// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { visibleText } from '../../common/visible-text';
import { ClaudeServer } from '../claude/claude-server';
import { DiscoveryFiles, isFor } from '../discovery/discovery-files';
import { SecureFolder } from '../discovery/secure-folder';
import { ServerPlace, SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { isInside } from '../host/paths';
import type { SessionWindow } from '../mcp/cli-session';
import { RefusalLog } from '../mcp/refusal-log';
import { ListenerBudget } from '../mcp/listener-budget';
import { SERVER_INFO } from './window';
import { Windows } from './windows';
import { UnplacedClis } from './unplaced-clis';

/**
 * The windows as CLIs see them that speak Claude Code's protocol: all behind one server, which listens from the first open folder until the
 * backend ends.
 */
@injectable()
export class ClaudeWindows {
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
    @named('companion:ClaudeWindows')
    protected readonly logger: ILogger;

    protected unplaced: UnplacedClis;
    protected starting: Promise<ClaudeServer> | undefined;
    protected listening: ClaudeServer | undefined;
    protected published = '';
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.unplaced = new UnplacedClis(this.problems, id => this.clis.nameOf(id));
    }

    /**
     * Tells the CLIs which folders are open. Never rejects: a window that these CLIs do not find still serves all others.
     *
     * @returns whether the server listens, if it has to
     */
    async publish(): Promise<boolean> {
        const folders = [...new Set(this.windows.open().flatMap(window => window.folders))];
        const key = folders.join('\0');
        // Without these CLIs nothing listens.
        if (this.stopped || this.served.length === 0 || (folders.length === 0 && !this.starting) || key === this.published) {
            return true;
        }
        this.published = key;
        try {
            this.listening = await (this.starting ??= this.start());
        } catch (error) {
            this.starting = undefined;
            this.published = '';
            this.problems.reportFailedStart('server of Claude Code', error);
            return false;
        }
        await this.listening.publish(folders);
        this.problems.report('server of Claude Code', []);
        return true;
    }

    /**
     * Says in a window's status which other IDE keeps the CLIs from connecting by themselves. Never rejects, and ends soon even if a file
     * system does not answer.
     */
    async lookForOtherIdes({ id, folders }: { readonly id: string; readonly folders: readonly string[] }): Promise<void> {
        const { homeFolder } = this.host;
        // A window that is gone has no folders. Its report goes, whether the file system answers or not.
        const problems = folders.length === 0 ? [] : await this.tasks.run(homeFolder, () => this.otherIdes(folders)).catch(() => undefined);
        if (problems) {
            this.problems.report(`other IDEs of ${id}`, problems, id);
        }
    }

    /** Its port, and the folders by which its CLIs find it. */
    get server(): ServerPlace | undefined {
        return this.listening;
    }

    async stop(): Promise<void> {
        this.stopped = true;
        await (await this.starting?.catch(() => undefined))?.stop();
    }

    /** The CLIs that it serves. */
    protected get served(): readonly SupportedCli[] {
        return this.clis.all.filter(({ clientName }) => clientName !== undefined);
    }

    /** For the first of these CLIs: all have one lock. */
    protected async otherIdes(folders: readonly string[]): Promise<CompanionProblem[]> {
        if (!this.listening) {
            return [];
        }
        const { port } = this.listening;
        const [cli] = this.served;
        const patterns = (await cli?.staleFilePatterns()) ?? [];
        const locks = patterns.map(({ folder, name }) =>
            this.files.find(new SecureFolder(folder, this.host).path, file => name.test(file))
        );
        const others = (await Promise.all(locks)).flat().filter(file => file.port !== port && folders.some(folder => isFor(file, folder)));
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

    protected start(): Promise<ClaudeServer> {
        return ClaudeServer.start({
            clis: this.served,
            ofProcess: command => this.clis.ofProcess(command),
            serverInfo: SERVER_INFO,
            files: this.files,
            processes: this.processes,
            windowOf: (port, folder) => this.windowOf(port, folder),
            budget: this.budget,
            refusals: new RefusalLog(this.logger)
        });
    }
}
