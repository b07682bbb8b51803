// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService } from '@theia/ai-chat/lib/common';
import { ChatWelcomeMessageProvider } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { CommandService } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { QWEN_AGENT_ID } from '../chat/conversations';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { BackendConnection } from '../connection/backend-connection';
import { TrustButton } from '../parts/remedy-buttons';
import { Locality } from './locality';

/** Says in an empty chat how to ask Qwen, and where its files, servers and skills are. */
@injectable()
export class LocalityWelcome implements ChatWelcomeMessageProvider {
    /** The lowest, so that the application's own provider decides, if there is one. */
    readonly priority = Number.MIN_SAFE_INTEGER;
    /**
     * With a provider, Theia enables the chat's input only if one of Theia's language models is ready; Qwen needs none. This also holds
     * while the daemon is off: an application without any provider always enables its input, and this package must not change that.
     */
    readonly modelRequirementBypassed = true;

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
    }

    renderWelcomeMessage(): React.ReactNode {
        const { enabled, status } = this.connection;
        if (!enabled) {
            return undefined;
        }
        const isUntrusted = status?.problem?.code === 'untrusted';
        return (
            <div className="qwen-daemon-welcome" key="qwen-daemon-welcome">
                <h3>{nls.localize('theia/qwen-daemon/welcome/title', 'Qwen Code (experimental)')}</h3>
                {!isUntrusted && (
                    <p>
                        {this.agents.getEffectiveDefaultAgent()?.id === QWEN_AGENT_ID
                            ? nls.localize('theia/qwen-daemon/welcome/howToDefault', 'The first message connects to the daemon.')
                            : nls.localize(
                                  'theia/qwen-daemon/welcome/howTo',
                                  'Begin a message with @Qwen. The first one connects to the daemon.'
                              )}
                    </p>
                )}
                {status && <p className="qwen-daemon-welcome-place">{Locality.details(status).join(' · ')}</p>}
                <ul>
                    {Locality.explanation(status).map((sentence, index) => (
                        <li key={index}>{sentence}</li>
                    ))}
                </ul>
                {isUntrusted ? (
                    <TrustButton commands={this.commands} />
                ) : (
                    <button
                        className="theia-button secondary"
                        onClick={() => void this.commands.executeCommand(QwenDaemonCommands.OPEN_SESSION.id)}
                    >
                        {QwenDaemonCommands.OPEN_SESSION.label}
                    </button>
                )}
            </div>
        );
    }
}
