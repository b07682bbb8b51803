// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { PeerProcess, ProcessTable } from '../host/process-table';

/**
 * Which connected CLIs were started in a mode that writes files without a review. It is found out once for each process, so that the user
 * may have changed it since. Nothing but a word in the status depends on it.
 */
@injectable()
export class AutoApprovingClis {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    protected readonly onDidFindEmitter = new Emitter<void>();
    /** Fires when {@link modeOf} has an answer that it did not have before. */
    readonly onDidFind = this.onDidFindEmitter.event;
    protected readonly modes = new WeakMap<object, string | undefined>();

    /** @returns the mode that lets the CLI write unasked; `undefined` if it asks, or as long as it is not known */
    modeOf({ cliId, peer }: { cliId: string; peer?: PeerProcess | undefined }): string | undefined {
        if (peer && !this.modes.has(peer)) {
            this.modes.set(peer, undefined);
            void this.find(cliId, peer.pid).then(mode => {
                if (mode !== undefined) {
                    this.modes.set(peer, mode);
                    this.onDidFindEmitter.fire();
                }
            });
        }
        return peer && this.modes.get(peer);
    }

    /** Never rejects. Nothing is known of a process that is not the CLI's own, such as a wrapper. */
    protected async find(cliId: string, pid: number): Promise<string | undefined> {
        const cli = this.clis.get(cliId);
        const process = cli?.configuration && (await this.processes.details(pid));
        if (!process || this.clis.ofProcess(process.command) !== cli) {
            return undefined;
        }
        const { homeFolder } = this.host;
        try {
            // The workspace has settings, too. One that does not answer must not hold up what else lies in the HOME.
            await this.fileAccess.run(process.folder, () => fs.access(process.folder));
            const configuration = await this.fileAccess.run(homeFolder, async () => cli.configuration?.(process));
            return configuration?.approval.asks === false ? configuration.approval.name : undefined;
        } catch {
            return undefined;
        }
    }
}
