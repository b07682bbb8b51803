// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService } from '@theia/ai-chat/lib/common';
import { ChatWelcomeMessageProvider } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { Command, CommandService } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspaceCommands } from '@theia/workspace/lib/browser/workspace-commands';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { BackendConnection } from '../connection/backend-connection';
import { Locality } from './locality';

/** Says in an empty chat how to ask Qwen, and where it works. While it is off, and nobody else would answer, it offers to turn it on. */
@injectable()
export class QwenWelcome implements ChatWelcomeMessageProvider {
    /** The lowest, so that the application's own provider decides, if there is one. */
    readonly priority = Number.MIN_SAFE_INTEGER;
    /**
     * With a provider, Theia enables the chat's input only if one of Theia's language models is ready; Qwen needs none, and other agents may need
     * none. Where nobody would answer, Theia (1.74) would lose the message.
     */
    get modelRequirementBypassed(): boolean {
        return this.connection.enabled || !this.isNobodyThere;
    }

    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;

    protected readonly onStateChangedEmitter = new Emitter<void>();
    readonly onStateChanged = this.onStateChangedEmitter.event;

    @postConstruct()
    protected init(): void {
        this.connection.onDidChangeStatus(() => this.onStateChangedEmitter.fire());
        this.agents.onDefaultAgentChanged(() => this.onStateChangedEmitter.fire());
        this.agents.onDidChangeAgents(() => this.onStateChangedEmitter.fire());
    }

    renderWelcomeMessage(): React.ReactNode {
        const { enabled, status } = this.connection;
        if (!enabled && !this.isNobodyThere) {
            return undefined;
        }
        return (
            <div className="qwen-daemon-welcome" key="qwen-daemon-welcome">
                <h3>{nls.localize('theia/qwen-daemon/welcome/title', 'Qwen Code (experimental)')}</h3>
                {this.renderHowTo()}
                <p className="qwen-daemon-welcome-place">{Locality.explanation(status)}</p>
            </div>
        );
    }

    protected renderOffer(text: string, { id, label }: Command): React.ReactNode {
        return (
            <>
                <p>{text}</p>
                <button className="theia-button main" onClick={() => void this.commands.executeCommand(id)}>
                    {label}
                </button>
            </>
        );
    }

    protected get isNobodyThere(): boolean {
        return this.agents.getAgents().length === 0;
    }

    protected renderHowTo(): React.ReactNode {
        const { enabled, status } = this.connection;
        if (!enabled) {
            const off = nls.localize('theia/qwen-daemon/welcome/off', 'Qwen Code can answer here. It is off.');
            return this.renderOffer(off, QwenDaemonCommands.ENABLE);
        }
        if (status?.problem?.code === 'untrusted') {
            return this.renderOffer(Locality.details(status).join(' · '), WorkspaceCommands.MANAGE_WORKSPACE_TRUST);
        }
        const isDefault = this.agents.getEffectiveDefaultAgent()?.id === QWEN_AGENT_ID;
        return isDefault ? undefined : <p>{nls.localize('theia/qwen-daemon/welcome/mention', 'Begin a message with @Qwen.')}</p>;
    }
}
