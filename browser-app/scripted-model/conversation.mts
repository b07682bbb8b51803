// SPDX-License-Identifier: Apache-2.0

/** A tool that the model wants to have called. */
export interface ToolCall {
    readonly name: string;
    readonly args: Record<string, unknown>;
}

/** A call that the model made, with what came of it. */
export interface AnsweredCall extends ToolCall {
    /** The tool's result as the CLI words it; undefined where the CLI sent none. */
    readonly result: string | undefined;
}

/** What a person asked, and the calls that the model made for it so far. */
export interface Turn {
    /** All text of the user's message: what the CLI added in front (editor context, reminders), and the prompt. */
    readonly text: string;
    readonly calls: AnsweredCall[];
}

/** A request to a model, whichever API it came by. */
export interface Conversation {
    readonly turns: Turn[];
    /** Names of the tools that the CLI offers; empty for requests of the CLI's own, such as a summary. */
    readonly tools: string[];
    /** Whether the answer has to be JSON. */
    readonly json: boolean;
}

/** What the model says: text, a tool call, or text and then a tool call. */
export interface Answer {
    readonly text?: string;
    readonly call?: ToolCall;
    /** The text as it is streamed; default: at once. Only OpenAI's API. */
    readonly pieces?: readonly string[];
    /** What is thought before, as it is streamed. Only OpenAI's API. */
    readonly thoughts?: readonly string[];
    /** Milliseconds before each piece. */
    readonly pause?: number;
    /** The HTTP status of a refusal, instead of an answer. */
    readonly status?: number;
}

/** A request that cannot be answered; the message is for the caller. */
export class BadRequest extends Error {}

export function currentTurn(conversation: Conversation): Turn {
    return conversation.turns.at(-1) ?? { text: '', calls: [] };
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): JsonObject[] {
    return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string {
    return typeof value === 'string' ? value : '';
}
