// SPDX-License-Identifier: Apache-2.0

import { ChatService } from '@theia/ai-chat/lib/common';
import { ChatBannerProvider } from '@theia/ai-chat-ui/lib/browser/chat-banner-provider';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandService } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { DaemonProblem, DaemonWarning } from '../../common/daemon-problem';
import { warningText } from '../../common/daemon-notice-text';
import { problemText } from '../../common/daemon-problem-text';
import { Conversation } from '../chat/conversation';
import { Conversations, QWEN_AGENT_ID } from '../chat/conversations';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { BackendConnection } from '../connection/backend-connection';
import { ReconnectButton, TrustButton } from '../parts/remedy-buttons';
import { Locality } from './locality';

/** Says above a chat with Qwen which model and mode it has, how full its context is, and what is wrong. */
@injectable()
export class LocalityBanner implements ChatBannerProvider {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.connection.onDidChangeStatus(() => this.onDidChangeEmitter.fire());
        this.conversations.onDidChange(() => this.onDidChangeEmitter.fire());
        this.chats.onSessionEvent(() => this.connection.enabled && this.onDidChangeEmitter.fire());
    }

    renderBanner(): React.ReactNode | undefined {
        const { status, enabled } = this.connection;
        const chat = this.chats.getActiveSession();
        const conversation = this.conversations.find(chat?.id);
        if (!enabled || !status || !chat || (!conversation && chat.pinnedAgent?.id !== QWEN_AGENT_ID)) {
            return undefined;
        }
        const problem = conversation?.problem ?? status.problem;
        // Said once: the newest answer says it, with the button.
        const isTold = problem !== undefined && conversation?.lastProblem?.problem.code === problem.code;
        return (
            <div className="qwen-daemon-banner" data-state={status.state}>
                {/* Of a daemon elsewhere it must not be overlooked; else the status bar says it. */}
                {status.kind === 'external' && (
                    <div className="qwen-daemon-banner-line" title={Locality.explanation(status)}>
                        <span className={codicon('server-environment')} />
                        <span className="qwen-daemon-banner-place">{Locality.place(status)}</span>
                    </div>
                )}
                {conversation?.session && this.renderSession(conversation)}
                {status.warnings.map((warning, index) => this.renderWarning(warning, index))}
                {problem && !isTold && this.renderProblem(problem, chat.id)}
            </div>
        );
    }

    protected renderSession(conversation: Conversation): React.ReactNode {
        const { context } = conversation;
        const asksNothing = conversation.looserThanChosen || conversation.session?.currentModeId === 'yolo';
        return (
            <div className="qwen-daemon-banner-line qwen-daemon-banner-session">
                <button
                    className="qwen-daemon-banner-model"
                    title={QwenDaemonCommands.CHOOSE_MODEL.label}
                    onClick={() => void this.commands.executeCommand(QwenDaemonCommands.CHOOSE_MODEL.id)}
                >
                    {nls.localize('theia/qwen-daemon/banner/model', 'Model: {0}', conversation.modelName ?? '?')}
                </button>
                <button
                    className={`qwen-daemon-banner-mode ${asksNothing ? 'looser' : ''}`}
                    title={QwenDaemonCommands.CHOOSE_MODE.label}
                    onClick={() => void this.commands.executeCommand(QwenDaemonCommands.CHOOSE_MODE.id)}
                >
                    {asksNothing && <span className={codicon('warning')} />}
                    {nls.localize('theia/qwen-daemon/banner/mode', 'Approval: {0}', conversation.modeName() ?? '?')}
                </button>
                {context && context.size > 0 && (
                    <span className="qwen-daemon-banner-context">
                        {nls.localize(
                            'theia/qwen-daemon/banner/context',
                            'Context: {0}%',
                            Math.min(100, Math.round((100 * context.used) / context.size))
                        )}
                    </span>
                )}
            </div>
        );
    }

    protected renderWarning(warning: DaemonWarning, index: number): React.ReactNode {
        return (
            <div key={index} className="qwen-daemon-banner-line qwen-daemon-banner-warning">
                <span className={codicon('warning')} />
                <span>{warningText(warning)}</span>
            </div>
        );
    }

    protected renderProblem(problem: DaemonProblem, chatSessionId: string): React.ReactNode {
        return (
            <div className="qwen-daemon-banner-line qwen-daemon-banner-problem" role="alert">
                <span className={codicon('error')} />
                <span>{problemText(problem, ' ')}</span>
                {problem.code === 'untrusted' ? (
                    <TrustButton commands={this.commands} />
                ) : (
                    <ReconnectButton
                        isWanted={() => true}
                        changes={[]}
                        run={() => this.commands.executeCommand(QwenDaemonCommands.RECONNECT.id, chatSessionId)}
                    />
                )}
            </div>
        );
    }
}
