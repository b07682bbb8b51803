// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { SupportedCli } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { OneAtATime, queueOf } from '../host/one-at-a-time';
import { PeerProcess, ProcessTable } from '../host/process-table';

/**
 * Which connected CLIs were started so that they write files without a review. It is found out once for each process, so that the user
 * may have changed it since. Nothing but a word in the status depends on it.
 */
@injectable()
export class UnaskedWriters {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

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

    /** Never rejects. */
    protected async find(cliId: string, pid: number): Promise<string | undefined> {
        const cli = this.clis.getContributions().find(({ id }) => id === cliId);
        const process = cli?.unaskedMode && (await this.processes.details(pid));
        const { homeFolder } = this.host;
        return process && this.tasks.run(queueOf(homeFolder, homeFolder), async () => cli.unaskedMode?.(process)).catch(() => undefined);
    }
}
