// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CommandSearch } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, OneAtATime, queueOf } from '../host/one-at-a-time';

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
        const [command] = this.clis.startable.find(({ id }) => id === cliId)?.command.split(' ') ?? [];
        if (!command || command.includes('/') || this.host.platform === 'win32') {
            return { found: true, folders: [] };
        }
        const folders = (this.host.variables['PATH'] ?? '').split(path.delimiter).filter(folder => path.isAbsolute(folder));
        for (const folder of folders) {
            try {
                await this.tasks.run(queueOf(folder, folder), () => fs.access(path.join(folder, command), constants.X_OK));
                return { found: true, folders };
            } catch (error) {
                if (error instanceof NoAnswer) {
                    return { found: true, folders };
                }
            }
        }
        return { found: false, folders };
    }
}
