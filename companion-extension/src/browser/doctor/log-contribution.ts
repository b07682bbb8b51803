// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, WidgetManager } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { OutputChannel, OutputChannelManager } from '@theia/output/lib/browser/output-channel';
import { OutputWidget } from '@theia/output/lib/browser/output-widget';
import { CompanionBackend } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { companionName } from '../companion-name';
import { CompanionConnection } from '../window/companion-connection';

/** An output channel's name is its title. */
const CHANNEL = companionName();
const CALL_LIMIT_MS = 5_000;

/**
 * The output channel with what the window's servers and their CLIs did. The backend keeps the lines. They are read only while the channel can
 * be seen: a review must not cost messages for a view that is closed.
 */
@injectable()
export class LogContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(OutputChannelManager)
    protected readonly channels: OutputChannelManager;
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'readLog'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;

    protected view: OutputWidget | undefined;
    /** The number of the newest line in the channel, and the window whose log that is. */
    protected shown = 0;
    protected windowId: string | undefined;
    protected reading = false;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.widgets.onDidCreateWidget(({ widget }) => {
                if (widget instanceof OutputWidget) {
                    this.view = widget;
                    // The view lists it from now on.
                    this.channels.getChannel(CHANNEL);
                    widget.onDidChangeVisibility(() => void this.update());
                }
            }),
            this.channels.onSelectedChannelChanged(() => void this.update()),
            this.connection.onDidChangeState(() => void this.update())
        ]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(SHARED_COMMANDS.SHOW_LOG, { execute: () => this.channels.getChannel(CHANNEL).show() });
    }

    /** The channel, while it can be seen. */
    protected get channel(): OutputChannel | undefined {
        const selected = this.view?.isVisible ? this.channels.selectedChannel : undefined;
        return selected?.name === CHANNEL ? selected : undefined;
    }

    /** Never rejects. What could not be read comes with the next state. */
    protected async update(): Promise<void> {
        const { channel } = this;
        const { state } = this.connection;
        if (!state || !channel || this.reading) {
            return;
        }
        if (state.windowId !== this.windowId) {
            this.windowId = state.windowId;
            this.shown = 0;
        }
        this.reading = true;
        try {
            const { newest, lines } = await this.connection.ask(() => this.backend.readLog(this.shown), CALL_LIMIT_MS);
            // One that begins anew is read from its beginning.
            this.shown = newest < this.shown ? 0 : newest;
            lines.forEach(line => channel.appendLine(line));
        } catch {
            return;
        } finally {
            this.reading = false;
        }
        if ((this.connection.state?.logged ?? 0) > this.shown) {
            await this.update();
        }
    }
}
