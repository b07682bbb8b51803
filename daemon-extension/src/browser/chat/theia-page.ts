// SPDX-License-Identifier: Apache-2.0

import { ChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { PromptService, TokenUsageService } from '@theia/ai-core/lib/common';
import { ConfirmDialog, Dialog } from '@theia/core/lib/browser/dialogs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService } from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { isAimedAt, visibleText } from 'theia-cli-companion/lib/common';
import { approvalModeName, neverAsks } from '../../common/approval-modes';
import { EditorContext } from '../../common/editor-context';
import { QWEN_AGENT_ID, SlashCommand, UsageEvent } from '../../common/qwen-daemon-protocol';
import { EditDiffs } from '../diff/edit-diffs';
import { ChatChanges } from './chat-changes';
import { ChatView, ConversationPage } from './conversation-page';
import { EditorChip } from './editor-chip';

/** Theia's services, as far as conversations need them. */
@injectable()
export class TheiaPage implements ConversationPage {
    @inject(ChatView)
    readonly view: ChatView;
    @inject(EditDiffs)
    readonly diffs: EditDiffs;
    @inject(ChatChanges)
    readonly changes: ChatChanges;
    @inject(PromptService)
    protected readonly prompts: PromptService;
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;
    @inject(TokenUsageService)
    protected readonly tokens: TokenUsageService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(EditorChip)
    protected readonly chip: EditorChip;

    offerCommands(commands: readonly SlashCommand[]): void {
        for (const { name, description, hint } of commands) {
            const id = `${QWEN_AGENT_ID}/${name}`;
            this.prompts.removePromptFragment(id);
            this.prompts.addBuiltInPromptFragment({
                ...{ id, template: `/${name}`, isCommand: true, commandName: name, commandAgents: [QWEN_AGENT_ID] },
                commandDescription: visibleText(description),
                commandArgumentHint: visibleText(hint)
            });
        }
    }

    askText(prompt: string): Promise<string | undefined> {
        return this.quickInput.input({ prompt, ignoreFocusLost: true });
    }

    /** @param name as Theia writes it: relative to the workspace (with the root's name first, or without), absolute, or a URI */
    async filePath(name: string): Promise<string | undefined> {
        for (const uri of this.candidates(name.replaceAll('\\', '/'))) {
            if (uri.scheme === 'file' && (await this.files.exists(uri))) {
                return FileUri.fsPath(uri);
            }
        }
        return undefined;
    }

    editorContext(chat: ChatModel): EditorContext | undefined {
        return this.chip.contextFor(chat);
    }

    confirmNeverAsking(): Promise<boolean> {
        const text = nls.localize('theia/qwen-daemon/mode/never', 'In this mode Qwen runs commands and changes files without asking.');
        return this.confirm(text, approvalModeName(neverAsks) ?? neverAsks, SlowDialog);
    }

    protected async confirm(text: string, ok: string, Question = ConfirmDialog): Promise<boolean> {
        const msg = document.createElement('div');
        msg.className = 'qwen-daemon-question';
        msg.textContent = text;
        return (await new Question({ title: ok, msg, ok, cancel: Dialog.CANCEL }).open()) === true;
    }

    countTokens(model: string, requestId: string, { inputTokens, outputTokens, cachedReadTokens }: UsageEvent): void {
        void this.tokens.recordTokenUsage(model, { requestId, inputTokens, outputTokens, readCachedInputTokens: cachedReadTokens });
    }

    protected candidates(path: string): URI[] {
        if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
            return [new URI(path)];
        }
        if (path.startsWith('/') || /^[a-z]:\//i.test(path)) {
            return [FileUri.create(path)];
        }
        const [first, ...rest] = path.split('/');
        const roots = this.workspace.tryGetRoots().map(root => root.resource);
        return [
            ...roots.filter(root => root.path.base === first && rest.length).map(root => root.resolve(rest.join('/'))),
            ...roots.map(root => root.resolve(path))
        ];
    }
}

/** Takes no answer in its first moments: the Enter that sent a message would accept it. */
class SlowDialog extends ConfirmDialog {
    protected readonly since = performance.now();

    protected override async accept(): Promise<void> {
        if (isAimedAt(this.since)) {
            await super.accept();
        }
    }
}
