// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { DaemonProblem } from '../../common/daemon-problem';
import { Conversations } from '../chat/conversations';
import { BackendConnection } from '../connection/backend-connection';
import { ReconnectButton } from '../parts/reconnect-button';
import { ProblemContent } from '../parts/response-parts';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

/** Problems that a new connection cannot change. */
const withoutReconnect: DaemonProblem['code'][] = ['model-failed', 'prompt-limit', 'invalid', 'off', 'switched-off'];

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
        return (
            <div className="qwen-daemon-problem" role="alert" data-code={problem.code}>
                <span className={codicon('error')} />
                <div>
                    <div className="qwen-daemon-problem-message">{problem.message}</div>
                    {problem.nextStep && <div className="qwen-daemon-problem-next">{problem.nextStep}</div>}
                    <ReconnectButton
                        isWanted={() => this.canReconnect(content, node)}
                        changes={[this.conversations.onDidChange, this.connection.onDidChangeStatus]}
                        reconnect={() => this.commands.executeCommand(QwenDaemonCommands.RECONNECT.id, node.sessionId)}
                    />
                </div>
            </div>
        );
    }

    /** Only where a new connection helps, only while there is none, and only in the answer that says so last. */
    protected canReconnect(content: ProblemContent, { sessionId, response }: ResponseNode): boolean {
        const conversation = this.conversations.find(sessionId);
        const isLast = conversation?.lastProblem === content && conversation.model.getRequests().at(-1)?.response === response;
        const isCut = conversation?.problem !== undefined || this.connection.status?.problem !== undefined;
        // In a stored chat it may be seen while the daemon is off.
        return (
            isLast && isCut && !withoutReconnect.includes(content.problem.code) && this.commands.isEnabled(QwenDaemonCommands.RECONNECT.id)
        );
    }
}
