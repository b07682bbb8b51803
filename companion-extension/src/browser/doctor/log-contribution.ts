// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { OutputChannel, OutputChannelManager } from '@theia/output/lib/browser/output-channel';
import { CompanionBackend } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';

/** An output channel's name is its title. */
const CHANNEL = 'Companion';
const CALL_LIMIT = 5_000;

/** The output channel with what the window's servers and their CLIs did. The backend keeps the lines, so that a reload shows them again. */
@injectable()
export class LogContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(OutputChannelManager)
    protected readonly channels: OutputChannelManager;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'readLog'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;

    /** The number of the newest line in the channel, and the window whose log that is. */
    protected shown = 0;
    protected windowId: string | undefined;
    protected reading = false;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.push(this.connection.onDidChangeState(() => void this.update()));
        void this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.SHOW_LOG, { execute: () => this.channel.show() });
    }

    /** Made when it is needed: its view lists it from then on. */
    protected get channel(): OutputChannel {
        return this.channels.getChannel(CHANNEL);
    }

    /** Never rejects. What could not be read comes with the next state. */
    protected async update(): Promise<void> {
        const { state } = this.connection;
        if (!state || this.reading) {
            return;
        }
        if (state.windowId !== this.windowId) {
            this.windowId = state.windowId;
            this.shown = 0;
        }
        if ((state.logged ?? 0) <= this.shown) {
            return;
        }
        this.reading = true;
        try {
            const { newest, lines } = await withTimeLimit(this.backend.readLog(this.shown), CALL_LIMIT, '');
            this.shown = newest;
            lines.forEach(line => this.channel.appendLine(line));
        } catch {
            return;
        } finally {
            this.reading = false;
        }
        // For what was logged meanwhile.
        await this.update();
    }
}
