// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ChatNodeToolbarCommands } from '@theia/ai-chat-ui/lib/browser/chat-node-toolbar-action-contribution';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { DaemonProblem } from '../../common/daemon-problem';
import { Conversations } from '../chat/conversations';
import { BackendConnection } from '../connection/backend-connection';
import { ReconnectButton, RemedyButton, TrustButton } from '../parts/remedy-buttons';
import { ProblemContent, TurnMarkerContent } from '../parts/response-parts';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

/** Problems that a new connection cannot change. */
const withoutReconnect = new Set<DaemonProblem['code']>([
    ...(['model-failed', 'prompt-limit', 'invalid', 'off', 'switched-off', 'untrusted', 'ai-off'] as const),
    ...(['bad-image', 'no-images'] as const)
]);

@injectable()
export class ProblemRenderer implements ChatResponsePartRenderer<ProblemContent> {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    canHandle(content: ChatResponseContent): number {
        return content instanceof ProblemContent ? 20 : -1;
    }

    render(content: ProblemContent, node: ResponseNode): React.ReactNode {
        const { problem } = content;
        const changes: Event<unknown>[] = [this.conversations.onDidChange, this.connection.onDidChangeStatus];
        return (
            <div className="qwen-daemon-problem" role="alert" data-code={problem.code}>
                <span className={codicon('error')} />
                <div>
                    <div className="qwen-daemon-problem-message">{problem.message}</div>
                    {problem.nextStep && <div className="qwen-daemon-problem-next">{problem.nextStep}</div>}
                    <ReconnectButton
                        isWanted={() => this.canReconnect(content, node)}
                        changes={changes}
                        run={() => this.commands.executeCommand(QwenDaemonCommands.RECONNECT.id, node.sessionId)}
                    />
                    <RemedyButton
                        label={QwenDaemonCommands.ENABLE.label ?? ''}
                        busyLabel={QwenDaemonCommands.ENABLE.label ?? ''}
                        className="qwen-daemon-enable"
                        isWanted={() => problem.code === 'off' && !this.connection.enabled}
                        changes={changes}
                        run={() => this.commands.executeCommand(QwenDaemonCommands.ENABLE.id)}
                    />
                    <TrustButton commands={this.commands} isWanted={() => this.canTrust(content, node)} changes={changes} />
                    <RemedyButton
                        label={nls.localize('theia/qwen-daemon/sendAgain', 'Send Again')}
                        busyLabel={nls.localize('theia/qwen-daemon/turn/sending', 'Sending…')}
                        className="qwen-daemon-send-again"
                        isWanted={() => this.canSendAgain(content, node)}
                        changes={[...changes, node.response.onDidChange]}
                        run={() => this.commands.executeCommand(ChatNodeToolbarCommands.RETRY.id, node)}
                    />
                </div>
            </div>
        );
    }

    /** Only for a message that the daemon never took, and only once there is a connection. */
    protected canSendAgain(content: ProblemContent, node: ResponseNode): boolean {
        const marker = node.response.response.content.find(part => part instanceof TurnMarkerContent);
        return (
            marker?.data.turnId === '' &&
            content.problem.code !== 'bad-image' &&
            this.isLast(content, node) &&
            !this.canReconnect(content, node) &&
            !this.canTrust(content, node) &&
            this.connection.enabled &&
            this.commands.isEnabled(ChatNodeToolbarCommands.RETRY.id, node)
        );
    }

    protected isLast(content: ProblemContent, { sessionId, response }: ResponseNode): boolean {
        const conversation = this.conversations.find(sessionId);
        return conversation?.lastProblem === content && conversation.model.getRequests().at(-1)?.response === response;
    }

    protected canTrust(content: ProblemContent, node: ResponseNode): boolean {
        const isUntrusted = this.connection.status?.problem?.code === 'untrusted';
        return isUntrusted && content.problem.code === 'untrusted' && this.isLast(content, node);
    }

    /** Only where a new connection helps, only while there is none, and only in the answer that says so last. */
    protected canReconnect(content: ProblemContent, node: ResponseNode): boolean {
        const conversation = this.conversations.find(node.sessionId);
        const isCut = conversation?.problem !== undefined || this.connection.status?.problem !== undefined;
        // In a stored chat it may be seen while the daemon is off.
        return (
            this.isLast(content, node) &&
            isCut &&
            !withoutReconnect.has(content.problem.code) &&
            this.commands.isEnabled(QwenDaemonCommands.RECONNECT.id)
        );
    }
}
