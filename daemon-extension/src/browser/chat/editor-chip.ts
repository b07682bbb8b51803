// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { ChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { AIVariableResolutionRequest } from '@theia/ai-core/lib/common/variable-service';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { LabelProviderContribution } from '@theia/core/lib/browser/label-provider';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { IdeContext, IdeContextFile } from 'theia-cli-companion/lib/common';
import { EditorContext } from '../../common/editor-context';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';

/**
 * What the companion shares with CLIs. Made when it is asked for: what embedders put in its place may fail, which must not take Theia's chat
 * with it.
 */
export const CompanionContext = Symbol('CompanionContext');
export type CompanionContext = () => { readonly shared: IdeContext; readonly onDidChange: Event<void> } | undefined;

/** The style sheet knows it by its name. Nothing resolves it: the backend puts the editor's context into the prompt. */
const CHIP = { id: 'qwen-daemon-editor', name: 'qwenDaemonEditor', description: '' };

/** Shows at the input of a chat with Qwen which file, and what of it, goes along with a message. The chip's cross leaves the file out. */
@injectable()
export class EditorChip implements FrontendApplicationContribution, LabelProviderContribution {
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;
    @inject(CompanionContext)
    protected readonly context: CompanionContext;

    protected readonly toDisposeOnDisable = new DisposableCollection();
    /** The path for which each chat got its chip. Without the chip, the user has left that file out. */
    protected readonly offered = new WeakMap<ChatModel, string>();

    onStart(): void {
        this.connection.onDidChangeStatus(() => {
            if (!this.connection.enabled) {
                this.toDisposeOnDisable.dispose();
                this.chats.getSessions().forEach(({ model }) => this.show(model, undefined));
            } else if (this.toDisposeOnDisable.disposed) {
                const update = (): void => this.update();
                this.toDisposeOnDisable.pushAll([
                    this.chats.onSessionEvent(update),
                    this.agents.onDefaultAgentChanged(update),
                    // With its first message a chat becomes Qwen's.
                    this.connection.onDidReceiveEvents(update)
                ]);
                this.context()?.onDidChange(update, undefined, this.toDisposeOnDisable);
                this.update();
            }
        });
    }

    /** What goes along with a message of this chat. */
    contextFor(chat: ChatModel): EditorContext | undefined {
        const { file } = this;
        const isLeftOut = file?.path === this.offered.get(chat) && !chipOf(chat);
        return file && !isLeftOut ? { path: file.path, cursor: file.cursor, selectedText: file.selectedText } : undefined;
    }

    canHandle(element: object): number {
        return AIVariableResolutionRequest.is(element) && element.variable.id === CHIP.id ? 20 : -1;
    }

    getName({ arg }: AIVariableResolutionRequest): string {
        return arg ?? '';
    }

    /** Beside the name; Theia would repeat that. */
    getDetails(): string {
        return '';
    }

    protected get file(): IdeContextFile | undefined {
        return this.context()?.shared.workspaceState?.openFiles?.find(({ isActive }) => isActive);
    }

    protected update(): void {
        const { model, pinnedAgent } = this.chats.getActiveSession() ?? {};
        const agent = pinnedAgent ?? this.agents.getEffectiveDefaultAgent();
        if (model && agent?.id === QWEN_AGENT_ID) {
            this.show(model, this.file);
        }
    }

    protected show(chat: ChatModel, file: IdeContextFile | undefined): void {
        const chip = chipOf(chat);
        const arg = file && labelOf(file);
        if (file?.path === this.offered.get(chat) && (!chip || chip.arg === arg)) {
            return;
        }
        if (chip) {
            chat.context.deleteVariables(chat.context.getVariables().indexOf(chip));
        }
        if (file) {
            chat.context.addVariables({ variable: CHIP, arg });
            this.offered.set(chat, file.path);
        } else {
            this.offered.delete(chat);
        }
    }
}

function chipOf({ context }: ChatModel): AIVariableResolutionRequest | undefined {
    return context.getVariables().find(({ variable }) => variable.id === CHIP.id);
}

/** The file, and the lines that are selected or where the cursor is. */
function labelOf({ path, cursor, selection }: IdeContextFile): string {
    const name = path.split(/[\\/]/).at(-1) ?? path;
    if (selection && selection.start.line !== selection.end.line) {
        return `${name}:${selection.start.line}-${selection.end.line}`;
    }
    return cursor ? `${name}:${cursor.line}` : name;
}
