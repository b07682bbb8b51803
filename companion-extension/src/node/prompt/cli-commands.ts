// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import { CommandSearch } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { FaultError } from '../host/fault-error';
import { findOnPath } from '../host/search-path';

/** Finds what keeps a CLI from running or connecting, as far as that is known before its shell has read its settings. */
@injectable()
export class CliCommands {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    async find(cliId: string): Promise<CommandSearch> {
        const ideMode = this.fileAccess.run(this.host.homeFolder, async () => this.clis.get(cliId)?.ideModeOff?.()).catch(() => undefined);
        const found = await this.isFound(cliId);
        const ideModeOff = await ideMode;
        return { found, ...(ideModeOff !== undefined && { ideModeOff }) };
    }

    /** @returns what kept the settings from being written */
    async setIdeMode(cliId: string, on: boolean): Promise<Fault | undefined> {
        try {
            await this.fileAccess.run(this.host.homeFolder, async () => this.clis.get(cliId)?.setIdeMode?.(on));
            return undefined;
        } catch (error) {
            return FaultError.faultOf(error);
        }
    }

    /** Looks for the command. True also if that cannot be known. */
    protected async isFound(cliId: string): Promise<boolean> {
        const [command] = this.clis.get(cliId)?.command.split(' ') ?? [];
        if (!command || command.includes('/')) {
            return true;
        }
        // A folder that does not answer may have it.
        return (await findOnPath(command, this.host.variables['PATH']).catch(() => command)) !== undefined;
    }
}
