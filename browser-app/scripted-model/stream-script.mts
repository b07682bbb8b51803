// SPDX-License-Identifier: Apache-2.0

import type { Answer, Turn } from './conversation.mts';
import { isObject, text } from './conversation.mts';

const DIRECTIVE = /SAY:(\{.*?\}):END/gs;
/** So that a typing error in a test cannot make the model talk for ever. */
const MAX_COUNT = 100_000;
const MAX_PAUSE = 10_000;

/**
 * Says what a prompt carries as `SAY:{…}:END`, in pieces:
 * - `thought`: what the model thinks first, a word per piece
 * - `text`: the answer, a word per piece; or `count`: the numbers from 1, each with a space, a number per piece
 * - `pause`: milliseconds before each piece
 * - `status`: instead, the HTTP status of a refusal
 *
 * Undefined for a prompt without the directive.
 */
export function playStreamScript(turn: Turn): Answer | undefined {
    const directive = [...turn.text.matchAll(DIRECTIVE)].at(-1);
    if (!directive) {
        return undefined;
    }
    let script: unknown;
    try {
        script = JSON.parse(directive[1]);
    } catch (error) {
        return { text: `The scripted model cannot say this: ${error instanceof Error ? error.message : String(error)}` };
    }
    if (!isObject(script)) {
        return { text: 'The scripted model cannot say this: SAY is not an object' };
    }
    const count = typeof script.count === 'number' ? Math.min(script.count, MAX_COUNT) : undefined;
    const pieces = count === undefined ? words(text(script.text)) : Array.from({ length: count }, (_, index) => `${index + 1} `);
    return {
        text: pieces.join(''),
        pieces,
        thoughts: words(text(script.thought)),
        pause: typeof script.pause === 'number' ? Math.min(script.pause, MAX_PAUSE) : 0,
        status: typeof script.status === 'number' ? script.status : undefined
    };
}

/** With the space behind each, so that joined they are the text. */
function words(sentence: string): string[] {
    return sentence.match(/\S+\s*|\s+/g) ?? [];
}
