// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { ClaudeServer, ClaudeServerOptions } from '../claude/claude-server';
import { ClaudeFamily } from '../discovery/claude-family';
import { DiscoveryFilesFactory } from '../discovery/discovery-files';
import { SupportedCli } from '../discovery/supported-cli';
import { Problems } from '../host/problems';
import { ProcessTable } from '../host/process-table';
import { RefusalLog } from '../mcp/http-listener';
import { SERVER_INFO } from './ide-server';
import { startProblem } from './window-state';

/** The servers of CLIs that speak Claude Code's protocol: one for each family, from the first open folder until the backend ends. */
@injectable()
export class ClaudeServers {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(DiscoveryFilesFactory)
    protected readonly files: DiscoveryFilesFactory;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(Problems)
    protected readonly problems: Problems;

    @inject(ILogger)
    @named('companion:ClaudeServers')
    protected readonly logger: ILogger;

    protected servers: Promise<readonly ClaudeServer[]> | undefined;
    /** Those of {@link servers} that listen. */
    protected listening: readonly ClaudeServer[] = [];
    protected published = '';
    protected stopped = false;

    /**
     * Never rejects: a window that these CLIs do not find still serves all others.
     *
     * @param folders of all windows in which the companion is on
     */
    async publish(folders: readonly string[], windowOf: ClaudeServerOptions['windowOf']): Promise<void> {
        const key = folders.join('\0');
        if (this.stopped || (folders.length === 0 && !this.servers) || key === this.published) {
            return;
        }
        this.published = key;
        try {
            this.listening = await (this.servers ??= this.start(windowOf));
            this.problems.report('servers of Claude Code', []);
        } catch (error) {
            this.servers = undefined;
            this.published = '';
            this.logger.debug('Starting a server failed', error);
            this.problems.report('servers of Claude Code', [startProblem(error)]);
            return;
        }
        await Promise.all(
            this.listening.map(server =>
                server.publish(folders).catch(error => this.logger.warn('A lock file could not be written', error))
            )
        );
    }

    /** Its port, and the folders by which its CLIs find it. */
    serverOf(family: ClaudeFamily): { port: number; roots: readonly string[] } | undefined {
        return this.listening.find(server => server.family === family);
    }

    removeFilesSync(): void {
        this.listening.forEach(server => server.removeFilesSync());
    }

    async stop(): Promise<void> {
        this.stopped = true;
        const servers = await this.servers?.catch(() => []);
        await Promise.all((servers ?? []).map(server => server.stop()));
    }

    protected async start(windowOf: ClaudeServerOptions['windowOf']): Promise<readonly ClaudeServer[]> {
        const clis = this.clis.getContributions().flatMap(({ id, family, clientName = '' }) => (family ? { id, family, clientName } : []));
        const families = [...new Set(clis.map(({ family }) => family))];
        const starting = await Promise.allSettled(
            families.map(family =>
                ClaudeServer.start({
                    family,
                    clis: clis.filter(cli => cli.family === family),
                    serverInfo: SERVER_INFO,
                    files: this.files.create(),
                    processes: this.processes,
                    windowOf,
                    refusals: new RefusalLog(this.logger)
                })
            )
        );
        const started = starting.flatMap(result => (result.status === 'fulfilled' ? result.value : []));
        const failed = starting.find(result => result.status === 'rejected');
        if (failed) {
            await Promise.all(started.map(server => server.stop()));
            throw failed.reason;
        }
        return started;
    }
}
