// SPDX-License-Identifier: Apache-2.0

import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { Fault } from '../../common/companion-problem';
import { CommandSearch } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { FaultError } from '../host/fault-error';
import { findOnPath } from '../host/search-path';
import { Windows } from '../server/windows';
import { LoginShell } from './login-shell';

/** Finds what keeps a CLI from running or connecting, as far as that is known before its shell has read its settings. */
@injectable()
export class CliCommands {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    @inject(LoginShell)
    protected readonly loginShell: LoginShell;

    @inject(Windows)
    protected readonly windows: Pick<Windows, 'onDidChangeSession'>;

    /** The ids of those that have been connected. */
    protected readonly connected = new Set<string>();

    @postConstruct()
    protected init(): void {
        this.windows.onDidChangeSession(({ cliId }) => this.connected.add(cliId));
    }

    /** @param preferences of the window that asks */
    async find(cliId: string, preferences: Pick<BackendPreferences, 'companion.run.useLoginShell'>): Promise<CommandSearch> {
        const ideMode = this.fileAccess.run(this.host.homeFolder, async () => this.clis.get(cliId)?.ideModeOff?.()).catch(() => undefined);
        const found = await this.isFound(cliId, preferences['companion.run.useLoginShell']);
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

    /** True also if that cannot be known. */
    protected async isFound(cliId: string, useLoginShell: boolean): Promise<boolean> {
        const [command] = this.clis.get(cliId)?.command.split(' ') ?? [];
        if (!command || command.includes('/') || this.connected.has(cliId)) {
            return true;
        }
        return (
            (await this.isOn(command, this.host.variables['PATH'])) ||
            (useLoginShell && (await this.isOn(command, await this.loginShell.searchPath())))
        );
    }

    protected async isOn(command: string, searchPath: string | undefined): Promise<boolean> {
        // A folder that does not answer may have it.
        return (await findOnPath(command, searchPath).catch(() => command)) !== undefined;
    }
}
