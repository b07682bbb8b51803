// SPDX-License-Identifier: Apache-2.0

import type { Answer, ToolCall, Turn } from './conversation.mts';
import { isObject } from './conversation.mts';

const DIRECTIVE = /TOOLS:(\[.*?\]):END/gs;

/**
 * Plays the tool calls that a prompt carries as `TOOLS:[{"name":"…","args":{…}},…]:END`: the first, after its result the
 * second, and so on, then a closing text. Of several directives the last counts: the CLIs merge a cancelled prompt with the next.
 * Undefined for a prompt without a directive.
 */
export function playToolScript(turn: Turn): Answer | undefined {
    const directive = [...turn.text.matchAll(DIRECTIVE)].at(-1);
    if (!directive) {
        return undefined;
    }
    const calls = parseCalls(directive[1]);
    if (typeof calls === 'string') {
        return { text: `The scripted model cannot play this: ${calls}` };
    }
    const played = turn.calls.length;
    return played < calls.length ? { call: calls[played] } : { text: `The scripted model has played ${calls.length} tool call(s).` };
}

function parseCalls(json: string): ToolCall[] | string {
    let parsed: unknown;
    try {
        parsed = JSON.parse(json);
    } catch (error) {
        return `TOOLS is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    }
    const calls: ToolCall[] = [];
    for (const call of Array.isArray(parsed) ? parsed : []) {
        if (!isObject(call) || typeof call.name !== 'string') {
            return 'each entry of TOOLS needs a "name"';
        }
        calls.push({ name: call.name, args: isObject(call.args) ? call.args : {} });
    }
    return calls.length > 0 ? calls : 'TOOLS holds no call';
}
