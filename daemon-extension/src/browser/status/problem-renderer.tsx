// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ChatNodeToolbarCommands } from '@theia/ai-chat-ui/lib/browser/chat-node-toolbar-action-contribution';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { DaemonProblem } from '../../common/daemon-problem';
import { Conversations } from '../chat/conversations';
import { BackendConnection } from '../connection/backend-connection';
import { ProblemContent } from '../parts/problem-content';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

interface Remedy {
    label: string | undefined;
    command: string;
    argument?: unknown;
}

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
        const { data: problem } = content;
        return (
            <div className="qwen-daemon-problem" role="alert" data-code={problem.code}>
                <span className={codicon('error')} />
                <div>
                    <div className="qwen-daemon-problem-message">{problem.message}</div>
                    <RemedyButton
                        remedy={() => this.remedy(content, node)}
                        changes={[this.conversations.onDidChange, this.connection.onDidChangeStatus, node.response.onDidChange]}
                        run={({ command, argument }) => this.commands.executeCommand(command, argument)}
                    />
                </div>
            </div>
        );
    }

    protected remedy(content: ProblemContent, node: ResponseNode): Remedy | undefined {
        const conversation = this.conversations.find(node.sessionId);
        const last = conversation?.model.getRequests().at(-1)?.response;
        const isLast = last === node.response && last.response.content.findLast(part => part instanceof ProblemContent) === content;
        // In a stored chat it may be seen while the daemon is off.
        if (!conversation || !isLast || !this.connection.enabled) {
            return undefined;
        }
        const { problem } = this.connection.status ?? {};
        if (isRefusal(problem)) {
            return undefined;
        }
        const now = problem ?? conversation.problem;
        if (now && !isRefusal(now)) {
            const { id, label } = QwenDaemonCommands.RECONNECT;
            return { label, command: id, argument: node.sessionId };
        }
        // Only a message that the daemon never took. An image would have to be given again.
        const { isUnsent, code } = content.data;
        const { id } = ChatNodeToolbarCommands.RETRY;
        return isUnsent && code !== 'bad-image' && this.commands.isEnabled(id, node)
            ? { label: nls.localize('theia/qwen-daemon/sendAgain', 'Send Again'), command: id, argument: node }
            : undefined;
    }
}

/** No connection helps. A conversation keeps it until the next message. */
function isRefusal(problem: DaemonProblem | undefined): boolean {
    return problem?.code === 'untrusted' || problem?.code === 'ai-off';
}

/** Goes by itself when it helps no more, however that came about: the changes say when. */
const RemedyButton: React.FC<{
    remedy(): Remedy | undefined;
    changes: Event<unknown>[];
    run(remedy: Remedy): Promise<unknown>;
}> = ({ remedy, changes, run }) => {
    const [, update] = React.useReducer((count: number) => count + 1, 0);
    const [busy, setBusy] = React.useState(false);
    React.useEffect(() => {
        const listeners = new DisposableCollection(...changes.map(change => change(update)));
        return () => listeners.dispose();
    }, []);
    const current = remedy();
    const click = (): void => {
        if (current) {
            setBusy(true);
            void run(current).finally(() => setBusy(false));
        }
    };
    return (
        current && (
            <button className="theia-button secondary" disabled={busy} onClick={click}>
                {current.label}
            </button>
        )
    );
};
