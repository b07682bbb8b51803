// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { codicon } from '@theia/core/lib/browser/widgets';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspacePaths } from 'theia-cli-companion/lib/browser';
import { visibleLines, visibleText } from 'theia-cli-companion/lib/common';
import { PermissionContent } from './permission-content';
import { ToolDetails, toolDetails } from './tool-content';
import { lastLines, ToolFacts, toolFacts } from './tool-facts';

/** So much of what a command said is seen without unfolding it. */
const TAIL = 10;

type ToolState = ToolDetails['status'] | 'interrupted' | 'rejected';

/**
 * Shows the daemon's tool calls. Theia's own renderer would look the tool up among Theia's tools and, following a preference
 * of the user for those, show it as denied or ask for a confirmation that nobody waits for.
 */
@injectable()
export class ToolRenderer implements ChatResponsePartRenderer<ToolCallChatResponseContent> {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    canHandle(content: ChatResponseContent): number {
        return ToolCallChatResponseContent.is(content) && toolDetails(content) ? 20 : -1;
    }

    render(content: ToolCallChatResponseContent, node: ResponseNode): React.ReactNode {
        const details = toolDetails(content);
        if (!details) {
            return undefined;
        }
        const state = this.state(content, details, node);
        const { icon, label } = states[state];
        const result = typeof content.result === 'string' ? content.result : '';
        const facts = toolFacts(content.arguments, result, details);
        const tail = state === 'rejected' ? '' : lastLines(facts.output ?? '', TAIL);
        return (
            <div className="qwen-daemon-tool" data-state={state} data-tool={content.name}>
                <details>
                    <summary>
                        <span className={icon} title={label} aria-label={label} />
                        <span className="qwen-daemon-tool-title">{this.title(content, details, facts)}</span>
                        {details.mcpServer && <span className="qwen-daemon-tool-origin">{`MCP: ${details.mcpServer}`}</span>}
                        {this.renderChange(facts, state)}
                    </summary>
                    {this.renderWhole(content, facts, result)}
                    {details.truncated && (
                        <div className="qwen-daemon-tool-note">
                            {nls.localize('theia/qwen-daemon/tool/truncated', 'Too large to be shown in full.')}
                        </div>
                    )}
                </details>
                {tail && <pre className="qwen-daemon-tool-output">{visibleLines(tail)}</pre>}
                {facts.exitCode !== undefined && (
                    <div className="qwen-daemon-tool-note">
                        {nls.localize('theia/qwen-daemon/tool/exitCode', 'Exit code {0}', facts.exitCode)}
                    </div>
                )}
            </div>
        );
    }

    protected renderWhole(content: ToolCallChatResponseContent, facts: ToolFacts, result: string): React.ReactNode {
        const { command, change, output } = facts;
        if (command !== undefined) {
            return (
                <>
                    <pre className="qwen-daemon-tool-arguments">{visibleLines(command)}</pre>
                    {output && <pre className="qwen-daemon-tool-result">{visibleLines(output)}</pre>}
                </>
            );
        }
        if (change) {
            return (
                <pre className="qwen-daemon-tool-change">
                    {change.removed.map((line, index) => (
                        <del key={index}>{`- ${visibleText(line)}\n`}</del>
                    ))}
                    {change.added.map((line, index) => (
                        <ins key={index}>{`+ ${visibleText(line)}\n`}</ins>
                    ))}
                </pre>
            );
        }
        const isNamed = facts.file !== undefined || facts.pattern !== undefined;
        return (
            <>
                {content.arguments && !isNamed && <pre className="qwen-daemon-tool-arguments">{visibleLines(content.arguments)}</pre>}
                {result && <pre className="qwen-daemon-tool-result">{visibleLines(result)}</pre>}
            </>
        );
    }

    protected renderChange({ file, change }: ToolFacts, state: ToolState): React.ReactNode {
        return (
            <>
                {change && <span className="qwen-daemon-tool-origin">{`+${change.added.length} −${change.removed.length}`}</span>}
                {file && state === 'completed' && (
                    <button
                        className="theia-button secondary qwen-daemon-tool-open"
                        title={file}
                        onClick={event => {
                            event.preventDefault();
                            void open(this.openers, FileUri.create(file));
                        }}
                    >
                        {nls.localize('theia/qwen-daemon/tool/open', 'Open')}
                    </button>
                )}
            </>
        );
    }

    protected title({ name }: ToolCallChatResponseContent, details: ToolDetails, facts: ToolFacts): string {
        const { command, file, lines, pattern, change } = facts;
        if (command !== undefined) {
            return visibleText(`$ ${command}`);
        }
        const path = file && visibleText(this.paths.display(file));
        if (path && details.toolKind === 'read') {
            return nls.localize('theia/qwen-daemon/tool/read', 'Read {0}', lines ? `${path}:${lines.join('-')}` : path);
        }
        if (path && (change || details.diff)) {
            return details.diff?.isNew
                ? nls.localize('theia/qwen-daemon/tool/write', 'Write {0}', path)
                : nls.localize('theia/qwen-daemon/tool/edit', 'Edit {0}', path);
        }
        return pattern === undefined
            ? details.title || (name ?? '')
            : nls.localize('theia/qwen-daemon/tool/search', 'Search {0}', visibleText(pattern));
    }

    protected state(content: ToolCallChatResponseContent, { status }: ToolDetails, { response }: ResponseNode): ToolState {
        const isRejected = response.response.content.some(
            part => part instanceof PermissionContent && part.permission.toolId === content.id && part.allowed === false
        );
        if (isRejected && status !== 'completed') {
            return 'rejected';
        }
        return content.finished && (status === 'pending' || status === 'running') ? 'interrupted' : status;
    }
}

const states: Record<ToolState, { icon: string; label: string }> = {
    completed: { icon: codicon('check'), label: nls.localize('theia/qwen-daemon/tool/completed', 'completed') },
    failed: { icon: codicon('error'), label: nls.localize('theia/qwen-daemon/tool/failed', 'failed') },
    rejected: { icon: codicon('circle-slash'), label: nls.localize('theia/qwen-daemon/tool/rejected', 'rejected') },
    interrupted: { icon: codicon('error'), label: nls.localize('theia/qwen-daemon/tool/interrupted', 'interrupted') },
    running: { icon: `${codicon('loading')} codicon-modifier-spin`, label: nls.localize('theia/qwen-daemon/tool/running', 'running') },
    pending: { icon: codicon('clock'), label: nls.localize('theia/qwen-daemon/tool/pending', 'waiting') }
};
