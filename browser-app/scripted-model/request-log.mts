// SPDX-License-Identifier: Apache-2.0

import type { Answer, AnsweredCall } from './conversation.mts';

/**
 * A request for an answer, as tests get it from `GET /requests?after=…`. Without its body, which is some 100 KB from a CLI, and tests ask
 * many times a second.
 */
export interface RecordedRequest {
    /** Counts from 1 for as long as the server runs, also when older requests were dropped. */
    readonly number: number;
    readonly api: 'openai' | 'gemini' | 'messages';
    /** That was asked for; undefined where the request named none. */
    readonly model: string | undefined;
    /** The text of the last turn: what the CLI put in front, and the prompt. */
    readonly prompt: string;
    /** The tool calls of the last turn with their results. */
    readonly calls: readonly AnsweredCall[];
    /** What the scripted model said. */
    readonly answer: Answer;
}

const MAX_REQUESTS = 200;
const MAX_BODIES = 10;

/** The last requests, oldest first. */
export class RequestLog {
    private requests: RecordedRequest[] = [];
    private readonly bodies = new Map<number, unknown>();
    private count = 0;

    add(request: Omit<RecordedRequest, 'number'>, body: unknown): void {
        this.requests = [...this.requests, { number: ++this.count, ...request }].slice(-MAX_REQUESTS);
        this.bodies.set(this.count, body);
        this.bodies.delete(this.count - MAX_BODIES);
    }

    /** All that one of the newest requests carried. */
    body(number: number): unknown {
        return this.bodies.get(number);
    }

    /** Those with a higher number. */
    after(number: number): readonly RecordedRequest[] {
        return this.requests.filter(request => request.number > number);
    }
}
