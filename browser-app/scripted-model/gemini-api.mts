// SPDX-License-Identifier: Apache-2.0

import type { AnsweredCall, Answer, Conversation, JsonObject, Turn } from './conversation.mts';
import { BadRequest, isObject, objects, text } from './conversation.mts';

/** Reads the body of a `generateContent` or `streamGenerateContent` request. */
export function readGenerateContent(body: JsonObject): Conversation {
    if (!Array.isArray(body.contents)) {
        throw new BadRequest('The scripted model needs "contents", an array.');
    }
    const turns: Turn[] = [];
    let afterUser = false;
    let open: { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] }[] = [];
    for (const content of objects(body.contents)) {
        const parts = objects(content.parts);
        if (content.role === 'model') {
            open = parts
                .map(part => part.functionCall)
                .filter(isObject)
                .map(call => ({ name: text(call.name), args: isObject(call.args) ? call.args : {}, result: undefined }));
            turns.at(-1)?.calls.push(...open);
            afterUser = false;
            continue;
        }
        const responses = parts.map(part => part.functionResponse).filter(isObject);
        for (const response of responses) {
            const call = open.find(candidate => candidate.name === response.name && candidate.result === undefined);
            if (call) {
                call.result = resultText(response.response);
            }
        }
        const spoken = parts
            .map(part => text(part.text))
            .filter(Boolean)
            .join('\n');
        // What the CLI adds to a result belongs to that result, unless the call was cancelled and this is the next prompt.
        if (responses.length === 0 || (spoken && open.some(isCancelled))) {
            const previous = afterUser ? turns.pop() : undefined;
            turns.push({ text: previous ? `${previous.text}\n${spoken}` : spoken, calls: [] });
            afterUser = true;
        }
    }
    const config = isObject(body.generationConfig) ? body.generationConfig : {};
    return {
        turns,
        tools: objects(body.tools).flatMap(tool => objects(tool.functionDeclarations).map(({ name }) => text(name))),
        json: config.responseMimeType === 'application/json'
    };
}

/** The answer as one response; a stream consists of this one alone. */
export function generatedContent(answer: Answer, model: string): JsonObject {
    const parts = [
        ...(answer.text ? [{ text: answer.text }] : []),
        ...(answer.call ? [{ functionCall: { name: answer.call.name, args: answer.call.args } }] : [])
    ];
    return {
        candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
        // Nothing is counted: the numbers only have to be small enough that no CLI compresses its history.
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
        modelVersion: model
    };
}

function isCancelled(call: AnsweredCall): boolean {
    return /cancel/i.test(call.result ?? '');
}

function resultText(response: unknown): string {
    if (!isObject(response)) {
        return '';
    }
    return text(response.output) || text(response.error) || JSON.stringify(response);
}
