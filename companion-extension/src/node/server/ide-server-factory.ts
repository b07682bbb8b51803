// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { DiscoveryFilesFactory } from '../discovery/discovery-files';
import { SupportedClis } from '../discovery/supported-cli';
import { FileAccessQueues } from '../host/file-access-queues';
import { ProcessTable } from '../host/process-table';
import { DEFAULT_SESSION_TIMINGS } from '../mcp/mcp-sessions';
import { IdeServer, IdeServerOptions } from './ide-server';

/** What the window of a server says. */
export type WindowOptions = Pick<IdeServerOptions, 'reviews' | 'presenter' | 'diagnostics' | 'place' | 'reviewsOffered' | 'log'>;

/** Makes the server of a window, for the CLIs that are contributed. */
@injectable()
export class IdeServerFactory {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(DiscoveryFilesFactory)
    protected readonly files: DiscoveryFilesFactory;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;

    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;

    @inject(ILogger)
    @named('companion:IdeServer')
    protected readonly logger: ILogger;

    start(window: WindowOptions): Promise<IdeServer> {
        return IdeServer.start({
            // The others connect to a listener of their own.
            cliIds: this.clis.all.flatMap(({ id, family }) => (family ? [] : id)),
            files: this.files(),
            outsideWorkspace: () => this.preferences['companion.review.outsideWorkspace'],
            timings: DEFAULT_SESSION_TIMINGS,
            tasks: this.tasks,
            processes: this.processes,
            logger: this.logger,
            ...window
        });
    }
}
