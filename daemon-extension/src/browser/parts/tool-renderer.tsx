// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { codicon } from '@theia/core/lib/browser/widgets';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { ToolDetails, toolDetails } from './tool-content';

/**
 * Shows the daemon's tool calls. Theia's own renderer would look the tool up among Theia's tools and, following a preference
 * of the user for those, show it as denied or ask for a confirmation that nobody waits for.
 */
@injectable()
export class ToolRenderer implements ChatResponsePartRenderer<ToolCallChatResponseContent> {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;

    canHandle(content: ChatResponseContent): number {
        return ToolCallChatResponseContent.is(content) && toolDetails(content) ? 20 : -1;
    }

    render(content: ToolCallChatResponseContent): React.ReactNode {
        const details = toolDetails(content);
        if (!details) {
            return undefined;
        }
        const interrupted = content.finished && (details.status === 'pending' || details.status === 'running');
        const state = interrupted ? 'interrupted' : details.status;
        const result = typeof content.result === 'string' ? content.result : '';
        return (
            <div className="qwen-daemon-tool" data-state={state} data-tool={content.name}>
                <details>
                    <summary>
                        <span className={this.icon(state)} title={this.stateLabel(state)} aria-label={this.stateLabel(state)} />
                        <span className="qwen-daemon-tool-title">{details.title || content.name}</span>
                        {details.mcpServer && <span className="qwen-daemon-tool-origin">{`MCP: ${details.mcpServer}`}</span>}
                        {details.diff &&
                            this.commands.isEnabled(QwenDaemonCommands.SHOW_DIFF.id) &&
                            this.renderDiffButton(details, details.diff.path)}
                    </summary>
                    {content.arguments && <pre className="qwen-daemon-tool-arguments">{content.arguments}</pre>}
                    {result && <pre className="qwen-daemon-tool-result">{result}</pre>}
                    {details.truncated && (
                        <div className="qwen-daemon-tool-note">
                            {nls.localize('theia/qwen-daemon/tool/truncated', 'Too large to be shown in full.')}
                        </div>
                    )}
                </details>
            </div>
        );
    }

    protected renderDiffButton(details: ToolDetails, path: string): React.ReactNode {
        return (
            <button
                className="theia-button secondary qwen-daemon-tool-diff"
                title={path}
                onClick={event => {
                    event.preventDefault();
                    void this.commands.executeCommand(QwenDaemonCommands.SHOW_DIFF.id, details.edit, details.diff);
                }}
            >
                {nls.localize('theia/qwen-daemon/tool/showChanges', 'Show Changes')}
            </button>
        );
    }

    protected icon(state: string): string {
        switch (state) {
            case 'completed':
                return codicon('check');
            case 'failed':
            case 'interrupted':
                return codicon('error');
            case 'running':
                return `${codicon('loading')} codicon-modifier-spin`;
            default:
                return codicon('clock');
        }
    }

    protected stateLabel(state: string): string {
        switch (state) {
            case 'completed':
                return nls.localize('theia/qwen-daemon/tool/completed', 'completed');
            case 'failed':
                return nls.localize('theia/qwen-daemon/tool/failed', 'failed');
            case 'interrupted':
                return nls.localize('theia/qwen-daemon/tool/interrupted', 'interrupted');
            case 'running':
                return nls.localize('theia/qwen-daemon/tool/running', 'running');
            default:
                return nls.localize('theia/qwen-daemon/tool/pending', 'waiting');
        }
    }
}
