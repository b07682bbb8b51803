// SPDX-License-Identifier: Apache-2.0

import type { Answer, AnsweredCall, JsonObject } from './conversation.mts';

/** A request for an answer, as tests get it from `GET /requests`. */
export interface RecordedRequest {
    /** Counts from 1 for as long as the server runs, also when older requests were dropped. */
    readonly number: number;
    readonly api: 'openai' | 'gemini';
    readonly path: string;
    /** The request's body as it was received. */
    readonly body: JsonObject;
    /** The text of the last turn: what the CLI put in front, and the prompt. */
    readonly prompt: string;
    /** The tool calls of the last turn with their results. */
    readonly calls: readonly AnsweredCall[];
    /** What the scripted model said. */
    readonly answer: Answer;
}

/** Requests; a CLI sends some 100 KB each time, so this stays below about 20 MB. */
const MAX_REQUESTS = 200;

/** The last requests, oldest first. */
export class RequestLog {
    private requests: RecordedRequest[] = [];
    private count = 0;

    add(request: Omit<RecordedRequest, 'number'>): void {
        this.requests = [...this.requests, { number: ++this.count, ...request }].slice(-MAX_REQUESTS);
    }

    all(): readonly RecordedRequest[] {
        return this.requests;
    }

    clear(): void {
        this.requests = [];
    }
}
