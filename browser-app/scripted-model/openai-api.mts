// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'node:crypto';
import type { AnsweredCall, Answer, Conversation, JsonObject, Turn } from './conversation.mts';
import { BadRequest, isObject, objects, text } from './conversation.mts';

/** Reads the body of a chat completion request. */
export function readChatCompletion(body: JsonObject): Conversation {
    if (!Array.isArray(body.messages)) {
        throw new BadRequest('The scripted model needs "messages", an array.');
    }
    const turns: Turn[] = [];
    const calls = new Map<string, { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] }>();
    let previousRole: unknown;
    for (const message of objects(body.messages)) {
        const turn = turns.at(-1);
        if (message.role === 'user') {
            const spoken = textOf(message.content);
            // Two user messages in a row are one turn, as a cancelled prompt has no answer between;
            // and a reminder that the CLI adds to a tool's result begins none.
            if (turn && (previousRole === 'user' || (previousRole === 'tool' && isReminder(spoken)))) {
                turns[turns.length - 1] = { ...turn, text: `${turn.text}\n${spoken}` };
            } else {
                turns.push({ text: spoken, calls: [] });
            }
        } else if (message.role === 'assistant') {
            for (const call of objects(message.tool_calls)) {
                const { name, arguments: args } = isObject(call.function) ? call.function : {};
                const answered = { name: text(name), args: parseArguments(args), result: undefined };
                calls.set(text(call.id), answered);
                turn?.calls.push(answered);
            }
        } else if (message.role === 'tool') {
            const call = calls.get(text(message.tool_call_id));
            if (call) {
                call.result = textOf(message.content);
            }
        }
        previousRole = message.role;
    }
    const format = isObject(body.response_format) ? text(body.response_format.type) : '';
    return {
        turns,
        tools: objects(body.tools).map(tool => (isObject(tool.function) ? text(tool.function.name) : '')),
        json: format.startsWith('json')
    };
}

/** The answer as one chat completion. */
export function chatCompletion(answer: Answer, model: string): JsonObject {
    const message = { role: 'assistant', content: answer.text ?? '', ...(answer.call && { tool_calls: [toolCall(answer)] }) };
    return {
        ...envelope('chat.completion', model),
        choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
        usage: USAGE
    };
}

/** The answer as the chunks of a stream, without the closing `[DONE]`. */
export function chatCompletionChunks(answer: Answer, model: string): JsonObject[] {
    const head = envelope('chat.completion.chunk', model);
    const chunk = (delta: JsonObject, finish_reason?: string): JsonObject => ({
        ...head,
        choices: [{ index: 0, delta, finish_reason: finish_reason ?? null }]
    });
    return [
        ...(answer.thoughts ?? []).map(piece => chunk({ role: 'assistant', reasoning_content: piece })),
        ...(answer.pieces ?? [answer.text ?? '']).map(piece => chunk({ role: 'assistant', content: piece })),
        ...(answer.call ? [chunk({ tool_calls: [{ index: 0, ...toolCall(answer) }] })] : []),
        chunk({}, finishReason(answer)),
        { ...head, choices: [], usage: USAGE }
    ];
}

export function modelList(model: string): JsonObject {
    return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'scripted model' }] };
}

/** Nothing is counted: the numbers only have to be small enough that no CLI compresses its history. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function envelope(object: string, model: string): JsonObject {
    return { id: `chatcmpl-${randomUUID()}`, object, created: Math.floor(Date.now() / 1000), model };
}

function toolCall(answer: Answer): JsonObject {
    return {
        id: `call_${randomUUID()}`,
        type: 'function',
        function: { name: answer.call?.name, arguments: JSON.stringify(answer.call?.args ?? {}) }
    };
}

function finishReason(answer: Answer): string {
    return answer.call ? 'tool_calls' : 'stop';
}

function isReminder(spoken: string): boolean {
    return spoken.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim() === '';
}

function textOf(content: unknown): string {
    return typeof content === 'string'
        ? content
        : objects(content)
              .map(part => text(part.text))
              .join('\n');
}

function parseArguments(value: unknown): JsonObject {
    try {
        const parsed: unknown = JSON.parse(text(value));
        return isObject(parsed) ? parsed : {};
    } catch {
        return {};
    }
}
