// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { CommandSearch } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { OneAtATime } from '../host/one-at-a-time';
import { findOnPath, searchFolders } from '../host/search-path';

/** Looks for the commands of CLIs where a new terminal would, as far as that is known before its shell has read its settings. */
@injectable()
export class CliCommands {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    /** Finds a command where it cannot be known that there is none. */
    async find(cliId: string): Promise<CommandSearch> {
        const [command] = this.clis.get(cliId)?.command.split(' ') ?? [];
        if (!command || command.includes('/') || this.host.platform === 'win32') {
            return { found: true, folders: [] };
        }
        const folders = searchFolders(this.host.variables['PATH']);
        // A folder that does not answer may have it.
        const found = await findOnPath(command, folders, this.tasks).catch(() => command);
        return { found: found !== undefined, folders };
    }
}
