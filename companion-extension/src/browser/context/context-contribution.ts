// SPDX-License-Identifier: Apache-2.0

import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { ContextBackend } from '../../common/context-protocol';
import { noAnswerText } from '../../common/sentences';
import { CONTEXT_COMMANDS } from './context-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { ReadOnlyResource } from '../window/read-only-resource';
import { ContextFilter } from './context-filter';
import { ContextReport } from './context-report';
import { ContextTracker } from './context-tracker';

/** The read-only report on what was last shared with CLIs. */
export const CONTEXT_SCHEME = 'companion-context';
const CONTEXT_URI = new URI(`${CONTEXT_SCHEME}:/Shared with CLIs.md`);

const READ_LIMIT_MS = 5_000;
const MESSAGE_TIME_MS = 5_000;

/** Commands with which users see and decide what is shared with CLIs. */
@injectable()
export class ContextContribution implements CommandContribution, ResourceResolver {
    @inject(ContextBackend)
    protected readonly backend: Pick<ContextBackend, 'readToldContexts'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(ContextTracker)
    protected readonly tracker: ContextTracker;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(MessageService)
    protected readonly messages: MessageService;

    protected readonly onDidShowEmitter = new Emitter<void>();

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CONTEXT_COMMANDS.TOGGLE_SHARING, {
            execute: () => this.toggleSharing(),
            isEnabled: () => (this.filter.setPaused ?? this.filter.setSharing) !== undefined
        });
        commands.registerCommand(CONTEXT_COMMANDS.SHOW_CONTEXT, {
            execute: async () => {
                await this.editors.open(CONTEXT_URI, { mode: 'activate', preview: false });
                this.onDidShowEmitter.fire();
            }
        });
    }

    /** Pauses this window, or resumes it. Where the user's settings say no, to resume means to change them. */
    async toggleSharing(): Promise<void> {
        const { filter } = this;
        if (filter.setPaused && (filter.sharing || filter.paused)) {
            filter.setPaused(filter.sharing);
        }
        if (!filter.setPaused || !(filter.sharing || filter.paused)) {
            await filter.setSharing?.(!filter.sharing);
        }
        this.messages.info(new ContextReport(filter).describeChange(this.connection.connected), { timeout: MESSAGE_TIME_MS });
    }

    async resolve(uri: URI): Promise<Resource> {
        if (uri.scheme !== CONTEXT_SCHEME) {
            throw new Error(`Not what CLIs were told: '${uri.toString()}'`);
        }
        return new ReadOnlyResource(
            uri,
            () => this.describe(),
            this.onDidShowEmitter.event,
            this.tracker.onDidSend,
            this.filter.onDidChange,
            this.connection.onDidChangeState
        );
    }

    protected async describe(): Promise<string> {
        const told = await this.connection.ask(() => this.backend.readToldContexts(), READ_LIMIT_MS, noAnswerText());
        return new ContextReport(this.filter).describe(told, this.tracker.withheld);
    }
}
