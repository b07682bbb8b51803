// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { OpenerService } from '@theia/core/lib/browser/opener-service';
import { codicon } from '@theia/core/lib/browser/widgets';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { AnswerGuard, WorkspacePaths } from 'theia-cli-companion/lib/browser';
import { MIN_VISIBLE_MS, visibleLines, visibleText } from 'theia-cli-companion/lib/common';
import { DiffInfo, PermissionOption, ShellCommand } from '../../common/qwen-daemon-protocol';
import { PermissionContent } from './permission-content';
import { PlainMarkdown } from './plain-markdown';

/** Shows a permission: while it is asked as a card with its buttons, then folded to a line. */
@injectable()
export class PermissionRenderer implements ChatResponsePartRenderer<PermissionContent> {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;

    canHandle(content: ChatResponseContent): number {
        return content instanceof PermissionContent ? 20 : -1;
    }

    render(content: PermissionContent, node: ResponseNode): React.ReactNode {
        const asked = !content.isReadOnly && !content.isResolved && node.response.isWaitingForInput;
        return asked ? this.renderCard(content) : this.renderLine(content);
    }

    protected renderCard(content: PermissionContent): React.ReactNode {
        return (
            <div
                className="qwen-daemon-permission"
                data-state="asked"
                data-permission={content.permission.id}
                role="group"
                aria-label={this.title(content)}
            >
                <div className="qwen-daemon-permission-header">{this.header(content)}</div>
                {this.renderBody(content)}
                {content.permission.truncated &&
                    this.renderWarning(
                        nls.localize(
                            'theia/qwen-daemon/permission/truncated',
                            'This is not all of it: the rest cannot be shown here. Reject it unless you know it.'
                        )
                    )}
                <div className="qwen-daemon-permission-options">
                    {PermissionContent.inOrder(content.permission.options).map(option => (
                        <OptionButton
                            key={option.id}
                            option={option}
                            choose={() => this.answer(() => content.choose(option.id))}
                            reject={() => this.answer(() => content.decide(false))}
                        />
                    ))}
                </div>
            </div>
        );
    }

    protected answer(choose: () => void): void {
        if (this.guard.takesAnswer()) {
            this.guard.restart();
            choose();
        }
    }

    protected renderLine(content: PermissionContent): React.ReactNode {
        const answer = content.selectedOption?.text ?? nls.localize('theia/qwen-daemon/permission/unanswered', 'Not answered');
        return (
            <details className="qwen-daemon-permission" data-state="answered">
                <summary title={this.title(content)}>
                    <span className={codicon(content.allowed ? 'pass' : 'circle-slash')} />
                    <span className="qwen-daemon-permission-title">{this.title(content)}</span>
                    <span className="qwen-daemon-permission-answer">{answer}</span>
                </summary>
                {this.renderBody(content)}
            </details>
        );
    }

    protected renderBody(content: PermissionContent): React.ReactNode {
        const { title, description, plan, command, diff } = content.permission;
        return (
            <>
                {command && this.renderCommand(command)}
                {plan !== undefined && <PlainMarkdown text={visibleLines(plan)} openers={this.openers} />}
                {!command && plan === undefined && <div className="qwen-daemon-permission-text">{visibleText(title)}</div>}
                {diff && <div className="qwen-daemon-permission-file">{this.fileLabel(diff)}</div>}
                {description && description !== title && this.renderWarning(visibleLines(description))}
            </>
        );
    }

    protected renderWarning(text: string): React.ReactNode {
        return (
            <div className="qwen-daemon-permission-note">
                <span className={codicon('warning')} />
                <span>{text}</span>
            </div>
        );
    }

    protected renderCommand({ line, note }: ShellCommand): React.ReactNode {
        return (
            <>
                <pre className="qwen-daemon-permission-command" tabIndex={0}>
                    <code>{visibleLines(line)}</code>
                </pre>
                {note && <div className="qwen-daemon-permission-text">{visibleText(note)}</div>}
            </>
        );
    }

    protected fileLabel({ path, isNew }: DiffInfo): string {
        const file = visibleText(this.paths.display(path));
        return isNew
            ? nls.localize('theia/qwen-daemon/permission/newFile', 'New file, or an empty one: {0}', file)
            : nls.localize('theia/qwen-daemon/permission/edit', 'Changes to {0}', file);
    }

    protected header({ permission }: PermissionContent): string {
        if (permission.plan !== undefined) {
            return nls.localize('theia/qwen-daemon/permission/planHeader', 'Qwen asks you to approve its plan');
        }
        return permission.command
            ? nls.localize('theia/qwen-daemon/permission/commandHeader', 'Qwen asks to run a command')
            : nls.localize('theia/qwen-daemon/permission/header', 'Qwen asks for permission');
    }

    protected title({ permission }: PermissionContent): string {
        return permission.plan === undefined
            ? visibleText(permission.command?.line ?? permission.title)
            : nls.localize('theia/qwen-daemon/plan/title', 'Plan');
    }
}

/** Takes no click and no key in its first moments: they were meant for what the card has moved away. */
const OptionButton: React.FC<{ option: PermissionOption; choose(): void; reject(): void }> = ({
    option: { id, label, role },
    choose,
    reject
}) => {
    const [isNew, setNew] = React.useState(true);
    React.useEffect(() => {
        const timer = setTimeout(() => setNew(false), MIN_VISIBLE_MS);
        return () => clearTimeout(timer);
    }, []);
    const kind = id === 'proceed_once' ? 'main' : 'secondary';
    return (
        <button
            className={`theia-button ${kind} qwen-daemon-permission-option`}
            data-role={role}
            aria-disabled={isNew}
            onClick={() => isNew || choose()}
            onKeyDown={({ key }) => key === 'Escape' && !isNew && reject()}
        >
            <span>{visibleText(label)}</span>
        </button>
    );
};
