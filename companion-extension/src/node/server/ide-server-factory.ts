// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, optional } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { DiscoveryFilesFactory } from '../discovery/discovery-files';
import { SupportedCli } from '../discovery/supported-cli';
import { OneAtATime } from '../host/one-at-a-time';
import { ProcessTable } from '../host/process-table';
import { DEFAULT_SESSION_TIMINGS } from '../mcp/mcp-sessions';
import { StrandedClis } from '../terminal/stranded-clis';
import { IdeServer, IdeServerOptions } from './ide-server';

/** What the window of a server says. */
export type WindowOptions = Pick<IdeServerOptions, 'reviews' | 'presenter' | 'diagnostics' | 'place' | 'reviewsOffered' | 'log'>;

export const IdeServerFactory = Symbol('IdeServerFactory');
/** Makes the server of a window. */
export interface IdeServerFactory {
    start(window: WindowOptions): Promise<IdeServer>;
}

/** Makes servers for the CLIs that are contributed. */
@injectable()
export class DefaultIdeServerFactory implements IdeServerFactory {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(DiscoveryFilesFactory)
    protected readonly files: DiscoveryFilesFactory;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;

    @inject(StrandedClis)
    @optional()
    protected readonly strandedClis: StrandedClis | undefined;

    @inject(ILogger)
    @named('companion:IdeServer')
    protected readonly logger: ILogger;

    async start(window: WindowOptions): Promise<IdeServer> {
        const server = await IdeServer.start({
            // The others connect to a listener of their own.
            cliIds: this.clis.getContributions().flatMap(({ id, family }) => (family ? [] : id)),
            files: this.files.create(),
            outsideWorkspace: () => this.preferences['companion.review.outsideWorkspace'],
            timings: DEFAULT_SESSION_TIMINGS,
            tasks: this.tasks,
            processes: this.processes,
            logger: this.logger,
            ...window
        });
        server.sessions.onDidChangeSession(session => this.strandedClis?.follow(session));
        return server;
    }
}
