// SPDX-License-Identifier: Apache-2.0

import { ChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { Widget } from '@theia/core/lib/browser/widgets/widget';
import { EditorContext } from '../../common/editor-context';
import { Answer, QwenDaemonBackend, SlashCommand, UsageEvent } from '../../common/qwen-daemon-protocol';
import { EditDiffs } from '../diff/edit-diffs';
import { ChatChanges } from './chat-changes';

/** What Qwen asks, in the chat. */
export interface AskedCard {
    readonly chatSessionId: string;
    readonly permission: { readonly id: string };
    /** The model asks the user: Theia shows the card. */
    readonly isQuestion: boolean;
}

export const ChatView = Symbol('ChatView');
/** Theia's chat view, as far as its chats are for Qwen: which part of an answer is in view, what is in the input, and where the keyboard is. */
export interface ChatView {
    readonly widget: Widget | undefined;
    showEnd(chatSessionId: string): void;
    beginChat(): void;
    /** What is above the input of a chat has changed. */
    showSuggestions(chatSessionId: string): void;
    /** Puts a message that was not taken at the input again, above what was typed since. */
    giveBack(chatSessionId: string, text: string): void;
    /** Selects the mode at the input, if that is this chat's. */
    showMode(chatSessionId: string, modeId: string): void;
    /** Whether something is typed at the input that has the keyboard. */
    readonly isTyping: boolean;
    /** Where the keyboard is in the chat, or on nothing, since what it was on was answered. */
    focusInput(chatSessionId: string): void;
    /** Whether the end of the card, with what can be chosen, is in view. */
    isInView(card: AskedCard): boolean;
    /** Scrolls to the end of the card, with the keyboard on its first option. */
    showAsked(card: AskedCard): Promise<void>;
    showWaiting(count: number): void;
}

export const ConversationPage = Symbol('ConversationPage');
/** What a conversation needs of the page around it. */
export interface ConversationPage {
    readonly view: ChatView;
    readonly diffs: Pick<EditDiffs, 'isInView' | 'openForPermission' | 'closeForPermission'>;
    readonly changes: Pick<ChatChanges, 'count' | 'onDidChange' | 'reviewCommand'>;
    /** What a message may begin with, behind a slash: Theia completes it at the input. */
    offerCommands(commands: readonly SlashCommand[]): void;
    askText(question: string): Promise<string | undefined>;
    /** Whether the user wants a mode in which Qwen never asks. */
    confirmNeverAsking(): Promise<boolean>;
    /** Finds the file that an attachment names: a path on the backend's host. */
    filePath(name: string): Promise<string | undefined>;
    /** What goes along with a message of a chat about the editor, under the companion's filter, exclusions and pause. */
    editorContext(chat: ChatModel): EditorContext | undefined;
    /** Adds what a call of the model cost to what Theia counts. */
    countTokens(model: string, requestId: string, usage: UsageEvent): void;
}

/** What its turns need of a conversation. */
export interface TurnHost {
    readonly page: ConversationPage;
    readonly chatSessionId: string;
    readonly sessionId: string | undefined;
    /** Absolute path of the folder in which the daemon works; empty while it is not known. */
    readonly folder: string;
    readonly modelName: string | undefined;
    call<T>(ask: (backend: QwenDaemonBackend, sessionId: string) => Promise<Answer<T>>): Promise<Answer<T>>;
}
