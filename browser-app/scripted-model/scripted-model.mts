// SPDX-License-Identifier: Apache-2.0

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Answer, Conversation, JsonObject } from './conversation.mts';
import { BadRequest, currentTurn, isObject, text } from './conversation.mts';
import { generatedContent, readGenerateContent } from './gemini-api.mts';
import { message, messageEvents, readMessages } from './messages-api.mts';
import { chatCompletion, chatCompletionChunks, modelList, readChatCompletion } from './openai-api.mts';
import type { RecordedRequest } from './request-log.mts';
import { RequestLog } from './request-log.mts';
import { playSampleSession } from './sample-session.mts';
import { playStreamScript } from './stream-script.mts';
import { ToolScripts } from './tool-script.mts';

const NAME = 'scripted-model';
/** Bytes; both CLIs send under 200 KB for a short session. */
const MAX_BODY = 32 * 1024 * 1024;
const GEMINI_PATH = /^\/v1(?:alpha|beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export interface ScriptedModel {
    /** Such as `http://127.0.0.1:40123`: the base URL for Gemini's API and the Messages API; OpenAI's is below `/v1`. */
    readonly url: string;
    readonly port: number;
    close(): Promise<void>;
}

/** What tests read and write. */
interface ModelState {
    readonly log: RequestLog;
    readonly scripts: ToolScripts;
}

/** Starts the scripted model on 127.0.0.1; port 0 is a free one. Rejects with the system's error where the port is denied. */
export async function startScriptedModel(port: number): Promise<ScriptedModel> {
    const state: ModelState = { log: new RequestLog(), scripts: new ToolScripts() };
    const server = createServer((request, response) => {
        handle(request, response, state).catch((error: unknown) => fail(response, error));
    });
    await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', resolve);
    });
    const { port: actual } = server.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${actual}`,
        port: actual,
        close: () =>
            new Promise(resolve => {
                server.close(() => resolve());
                server.closeAllConnections();
            })
    };
}

async function handle(request: IncomingMessage, response: ServerResponse, state: ModelState): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = `${request.method} ${pathname}`;
    if (route === 'GET /requests') {
        return sendJson(response, 200, state.log.after(Number(searchParams.get('after') ?? 0)));
    }
    if (route === 'GET /body') {
        return sendJson(response, 200, state.log.body(Number(searchParams.get('number'))) ?? {});
    }
    if (route === 'POST /scripts') {
        return sendJson(response, 200, { prompt: state.scripts.add(await readJson(request)) });
    }
    if (route === 'GET /v1/models') {
        return sendJson(response, 200, modelList(NAME));
    }
    if (route === 'POST /v1/chat/completions') {
        const body = await readBody(request);
        const answer = answerTo(readChatCompletion(body), state, body, { api: 'openai', model: text(body.model) || undefined });
        if (answer.status !== undefined) {
            return sendJson(response, answer.status, { error: { message: `The scripted model refuses with ${answer.status}.` } });
        }
        return body.stream === true
            ? sendEvents(response, [...chatCompletionChunks(answer, NAME).map(chunk => JSON.stringify(chunk)), '[DONE]'], answer.pause)
            : sendJson(response, 200, chatCompletion(answer, NAME));
    }
    if (route === 'POST /v1/messages/count_tokens') {
        return sendJson(response, 200, { input_tokens: 1 });
    }
    if (route === 'POST /v1/messages') {
        const body = await readBody(request);
        const conversation = readMessages(body);
        // Without tools it asks on its own account, such as for a title; the prompt that it repeats is not for this request.
        const answer: Answer =
            conversation.tools.length === 0
                ? { text: 'Scripted' }
                : answerTo(conversation, state, body, { api: 'messages', model: text(body.model) || undefined });
        if (answer.status !== undefined) {
            const error = { type: 'api_error', message: `The scripted model refuses with ${answer.status}.` };
            return sendJson(response, answer.status, { type: 'error', error });
        }
        return body.stream === true
            ? sendNamedEvents(response, messageEvents(answer, text(body.model)))
            : sendJson(response, 200, message(answer, text(body.model)));
    }
    const gemini = request.method === 'POST' ? GEMINI_PATH.exec(pathname) : undefined;
    if (gemini) {
        const body = await readBody(request);
        if (gemini[2] === 'countTokens') {
            return sendJson(response, 200, { totalTokens: 100 });
        }
        const answer = answerTo(readGenerateContent(body), state, body, { api: 'gemini', model: gemini[1] });
        const content = generatedContent(answer, gemini[1]);
        if (gemini[2] === 'generateContent') {
            return sendJson(response, 200, content);
        }
        return searchParams.get('alt') === 'sse' ? sendEvents(response, [JSON.stringify(content)]) : sendJson(response, 200, [content]);
    }
    sendJson(response, 404, { error: { code: 404, message: `The scripted model does not serve ${route}.` } });
}

function answerTo(
    conversation: Conversation,
    { log, scripts }: ModelState,
    body: JsonObject,
    received: Pick<RecordedRequest, 'api' | 'model'>
): Answer {
    const turn = currentTurn(conversation);
    const answer = scripts.play(turn) ?? playStreamScript(turn) ?? playSampleSession(conversation);
    log.add({ ...received, prompt: turn.text, calls: turn.calls, answer }, body);
    return answer;
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
    const body = await readJson(request);
    if (!isObject(body)) {
        throw new BadRequest('The scripted model needs a JSON object.');
    }
    return body;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_BODY) {
            throw new BadRequest(`The scripted model reads at most ${MAX_BODY} bytes.`);
        }
        chunks.push(chunk);
    }
    try {
        return JSON.parse(Buffer.concat(chunks).toString('utf8'));
    } catch {
        throw new BadRequest('The scripted model needs a JSON body.');
    }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @param pause milliseconds before each event */
async function sendEvents(response: ServerResponse, events: string[], pause = 0): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const event of events) {
        if (pause > 0) {
            await setTimeout(pause);
        }
        if (response.destroyed) {
            return;
        }
        response.write(`data: ${event}\n\n`);
    }
    response.end();
}

/** Named by their types. */
function sendNamedEvents(response: ServerResponse, events: JsonObject[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.end(events.map(event => `event: ${text(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

function fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent) {
        response.destroy();
        return;
    }
    const status = error instanceof BadRequest ? 400 : 500;
    sendJson(response, status, { error: { code: status, message: error instanceof Error ? error.message : String(error) } });
}
