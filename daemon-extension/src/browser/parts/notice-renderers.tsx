// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { DaemonProblem } from '../../common/daemon-problem';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { NoticeContent, ProblemContent, ProblemData, TURN_MARKER_KIND } from './response-parts';

/** Problems that a new connection cannot change. */
const withoutReconnect: DaemonProblem['code'][] = ['model-failed', 'prompt-limit', 'invalid', 'off', 'switched-off'];

@injectable()
export class ProblemRenderer implements ChatResponsePartRenderer<ProblemContent> {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;

    canHandle(content: ChatResponseContent): number {
        return content instanceof ProblemContent ? 20 : -1;
    }

    render({ problem }: ProblemContent, node: ResponseNode): React.ReactNode {
        return (
            <div className="qwen-daemon-problem" role="alert" data-code={problem.code}>
                <span className={codicon('error')} />
                <div>
                    <div className="qwen-daemon-problem-message">{problem.message}</div>
                    {problem.nextStep && <div className="qwen-daemon-problem-next">{problem.nextStep}</div>}
                    {this.canReconnect(problem) && (
                        <button
                            className="theia-button secondary qwen-daemon-reconnect"
                            onClick={() => void this.commands.executeCommand(QwenDaemonCommands.RECONNECT.id, node.sessionId)}
                        >
                            {QwenDaemonCommands.RECONNECT.label}
                        </button>
                    )}
                </div>
            </div>
        );
    }

    protected canReconnect({ code }: ProblemData): boolean {
        // In a stored chat it may be seen while the daemon is off.
        return !withoutReconnect.includes(code) && this.commands.isEnabled(QwenDaemonCommands.RECONNECT.id);
    }
}

@injectable()
export class NoticeRenderer implements ChatResponsePartRenderer<NoticeContent> {
    canHandle(content: ChatResponseContent): number {
        return content instanceof NoticeContent ? 20 : -1;
    }

    render({ message, warning }: NoticeContent): React.ReactNode {
        return (
            <div className={`qwen-daemon-notice ${warning ? 'warning' : ''}`} role={warning ? 'alert' : 'note'}>
                <span className={codicon(warning ? 'warning' : 'info')} />
                <span>{message}</span>
            </div>
        );
    }
}

/** Renders nothing. Without it, Theia would show the marker as an unknown part. */
@injectable()
export class TurnMarkerRenderer implements ChatResponsePartRenderer<ChatResponseContent> {
    canHandle(content: ChatResponseContent): number {
        return content.kind === TURN_MARKER_KIND ? 20 : -1;
    }

    render(): React.ReactNode {
        return <></>;
    }
}
