// SPDX-License-Identifier: Apache-2.0

export const ChatView = Symbol('ChatView');
/** Theia's chat view, as far as its chats are for Qwen: what of an answer is seen, what stands at the input, and where the keyboard is. */
export interface ChatView {
    /** Shows the end of a chat, where the newest is. */
    showEnd(chatSessionId: string): void;
    beginChat(): void;
    /** Puts a message that was not taken at the input again, above what was typed since. */
    giveBack(chatSessionId: string, text: string): void;
    /** Where the keyboard is in the chat, or on nothing, since what it was on was answered. */
    focusInput(chatSessionId: string): void;
    /** Whether the user sees what is asked in this chat. */
    showsAsked(chatSessionId: string): boolean;
    /** Shows what is asked in this chat, with the keyboard on its first option. */
    showAsked(chatSessionId: string): Promise<void>;
    /** Says how much waits for the user, on the view's icon. */
    showWaiting(count: number): void;
}
