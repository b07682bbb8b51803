// SPDX-License-Identifier: Apache-2.0

import type { Answer, ToolCall, Turn } from './conversation.mts';
import { BadRequest, isObject } from './conversation.mts';

const DIRECTIVE = /PLAY:(\d+):END/g;
const MAX_SCRIPTS = 1_000;

/**
 * Tool calls that tests leave here before they ask for them by number. Both CLIs draw their screen again for each key, so what a
 * prompt says is short.
 */
export class ToolScripts {
    private readonly scripts: ToolCall[][] = [];

    /** Takes the calls as JSON has them, `[{ name, args }, …]`. Returns the prompt that has them played. */
    add(calls: unknown): string {
        if (!Array.isArray(calls) || calls.length === 0 || this.scripts.length === MAX_SCRIPTS) {
            throw new BadRequest(`A script is a list of calls, and there may be ${MAX_SCRIPTS} scripts.`);
        }
        this.scripts.push(calls.map(toCall));
        return `PLAY:${this.scripts.length}:END`;
    }

    /**
     * The first call, after its result the second, and so on, then a closing text. Of several directives the last counts: the CLIs
     * merge a cancelled prompt with the next. Undefined for a prompt without a directive.
     */
    play(turn: Turn): Answer | undefined {
        const directive = [...turn.text.matchAll(DIRECTIVE)].at(-1);
        if (!directive) {
            return undefined;
        }
        const calls = this.scripts[Number(directive[1]) - 1];
        if (!calls) {
            return { text: `The scripted model has no script ${directive[1]}.` };
        }
        const played = turn.calls.length;
        return played < calls.length ? { call: calls[played] } : { text: `The scripted model has played ${calls.length} tool call(s).` };
    }
}

function toCall(call: unknown): ToolCall {
    if (!isObject(call) || typeof call.name !== 'string') {
        throw new BadRequest('Each call of a script needs a "name".');
    }
    return { name: call.name, args: isObject(call.args) ? call.args : {} };
}
