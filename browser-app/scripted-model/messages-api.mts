// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'node:crypto';
import type { AnsweredCall, Answer, Conversation, JsonObject, ToolCall, Turn } from './conversation.mts';
import { BadRequest, isObject, objects, text } from './conversation.mts';

/** Claude Code's names of the tools that scripts and the sample session know by Qwen Code's. The arguments have the same names. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
    Read: 'read_file',
    Write: 'write_file',
    Edit: 'edit',
    Bash: 'run_shell_command'
};

/** Reads the body of a request to the Messages API. */
export function readMessages(body: JsonObject): Conversation {
    if (!Array.isArray(body.messages)) {
        throw new BadRequest('The scripted model needs "messages", an array.');
    }
    const turns: Turn[] = [];
    const calls = new Map<string, { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] }>();
    let afterUser = false;
    for (const message of objects(body.messages)) {
        const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : objects(message.content);
        if (message.role === 'assistant') {
            for (const part of parts.filter(({ type }) => type === 'tool_use')) {
                const name = text(part.name);
                const answered = { name: TOOL_NAMES[name] ?? name, args: isObject(part.input) ? part.input : {}, result: undefined };
                calls.set(text(part.id), answered);
                turns.at(-1)?.calls.push(answered);
            }
            afterUser = false;
            continue;
        }
        const results = parts.filter(({ type }) => type === 'tool_result');
        for (const result of results) {
            const call = calls.get(text(result.tool_use_id));
            if (call) {
                call.result = textOf(result.content);
            }
        }
        const spoken = textOf(parts);
        if (message.role === 'system') {
            // What the CLI itself says behind a prompt (2.1.330). It begins no turn, and a prompt is what a turn ends with.
            const previous = afterUser ? turns.pop() : undefined;
            turns.push(...(previous ? [{ ...previous, text: `${spoken}\n${previous.text}` }] : []));
            continue;
        }
        // What the CLI adds to a result begins no turn, also where it is a message of its own.
        if (turns.length === 0 || withoutReminders(spoken) !== '') {
            const previous = afterUser ? turns.pop() : undefined;
            turns.push({ text: previous ? `${previous.text}\n${spoken}` : spoken, calls: [] });
            afterUser = true;
        }
    }
    const [first, ...rest] = turns;
    return {
        turns: first ? [{ ...first, text: `${folderIn(body)}${first.text}` }, ...rest] : [],
        tools: objects(body.tools).map(({ name }) => TOOL_NAMES[text(name)] ?? text(name)),
        json: false
    };
}

/** The answer as one message. */
export function message(answer: Answer, model: string): JsonObject {
    return { ...envelope(model), content: contentOf(answer), stop_reason: stopReason(answer), stop_sequence: null, usage: USAGE };
}

/** The answer as the events of a stream, each with its name as `type`. */
export function messageEvents(answer: Answer, model: string): JsonObject[] {
    const blocks = contentOf(answer).flatMap((block, index) => {
        const isText = block.type === 'text';
        const delta = isText
            ? { type: 'text_delta', text: block.text }
            : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
        return [
            { type: 'content_block_start', index, content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} } },
            { type: 'content_block_delta', index, delta },
            { type: 'content_block_stop', index }
        ];
    });
    return [
        { type: 'message_start', message: { ...envelope(model), content: [], stop_reason: null, stop_sequence: null, usage: USAGE } },
        ...blocks,
        { type: 'message_delta', delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: { output_tokens: 20 } },
        { type: 'message_stop' }
    ];
}

/** Nothing is counted: the numbers only have to be small enough that no CLI compresses its history. */
const USAGE = { input_tokens: 100, output_tokens: 20 };

function envelope(model: string): JsonObject {
    return { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model };
}

function contentOf({ text: spoken, call }: Answer): JsonObject[] {
    const name = call && (Object.entries(TOOL_NAMES).find(([, known]) => known === call.name)?.[0] ?? call.name);
    return [
        ...(spoken ? [{ type: 'text', text: spoken }] : []),
        ...(call ? [{ type: 'tool_use', id: `toolu_${randomUUID()}`, name, input: argumentsOf(call) }] : [])
    ];
}

/** Qwen Code's shell tool has an argument that Claude Code's refuses. */
function argumentsOf({ args }: ToolCall): JsonObject {
    return Object.fromEntries(Object.entries(args).filter(([name]) => name !== 'is_background'));
}

function stopReason({ call }: Answer): string {
    return call ? 'tool_use' : 'end_turn';
}

function withoutReminders(spoken: string): string {
    return spoken.replaceAll(/<(system-reminder|new-diagnostics)>[\s\S]*?<\/\1>/g, '').trim();
}

/** The folder that the CLI works in stands somewhere in its instructions (Claude Code 2.1.330). */
function folderIn(body: JsonObject): string {
    const [, folder] = /Primary working directory: ([^"\\]+)/.exec(JSON.stringify(body)) ?? [];
    return folder === undefined ? '' : `I'm currently working in the directory: ${folder.trim()}\n`;
}

function textOf(content: unknown): string {
    return typeof content === 'string'
        ? content
        : objects(content)
              .map(part => text(part.text))
              .filter(Boolean)
              .join('\n');
}
