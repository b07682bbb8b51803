// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import type { AnsweredCall, JsonObject } from './conversation.mts';
import type { RecordedRequest } from './request-log.mts';
import type { ScriptedModel } from './scripted-model.mts';
import { startScriptedModel } from './scripted-model.mts';

const FOLDER = '/work/sample';
const FILE = `${FOLDER}/src/greeting.js`;
const CONTENT = "/** Greets someone by name. */\nexport function greet(name) {\n    return 'Hello ' + name;\n}\n";
/** What the CLIs report of an edit: Qwen Code 0.24, Gemini CLI 0.61. */
const WRITTEN = [
    `The file: ${FILE} has been updated. Showing lines 1-4 of 4 from the edited file:\n\n---\n\nthrow new Error('failed');`,
    `Successfully modified file: ${FILE} (1 replacements).`,
    `Successfully overwrote file: ${FILE}.`,
    `Created new file: ${FILE} with provided content.`
];
/** What the model is told where the file is not there. */
const NOT_READ = 'Could not read file because no file was found at the specified path.';
const NOT_WRITTEN = [
    `File ${FILE} has been modified since you last read it (mtime or size changed). Re-read it with the read_file tool before editing it.`,
    '[Operation Cancelled] Reason: User did not allow tool call',
    'Failed to edit, could not find the string to replace.',
    'something new'
];
const CALLS = [
    { name: 'read_file', args: { file_path: '/a' } },
    { name: 'write_file', args: { file_path: '/a', content: 'x' } }
];

/** A request in the words of one of the two APIs, and what a CLI would take from the answer. */
interface Api {
    readonly name: string;
    readonly editTool: string;
    ask(model: ScriptedModel, turns: { prompt: string; calls?: AnsweredCall[] }[]): Promise<{ text: string; call?: JsonObject }>;
}

const openAi: Api = {
    name: "OpenAI's API",
    editTool: 'edit',
    async ask(model, turns) {
        const messages: JsonObject[] = [{ role: 'user', content: `I'm currently working in the directory: ${FOLDER}\n` }];
        for (const { prompt, calls = [] } of turns) {
            messages.push({ role: 'user', content: prompt });
            calls.forEach(({ name, args, result }, index) => {
                const tool_calls = [{ id: `${prompt}${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }];
                messages.push({ role: 'assistant', content: '', tool_calls });
                messages.push({ role: 'tool', tool_call_id: `${prompt}${index}`, content: result });
            });
        }
        const tools = ['read_file', 'edit', 'write_file'].map(name => ({ type: 'function', function: { name } }));
        const events = await post(`${model.url}/v1/chat/completions`, { model: 'any', stream: true, messages, tools });
        expect(events.at(-1)).to.equal('[DONE]');
        const deltas = events.slice(0, -1).flatMap(event => JSON.parse(event).choices.map((choice: JsonObject) => choice.delta));
        const call = deltas.flatMap(delta => delta.tool_calls ?? []).at(0)?.function;
        return {
            text: deltas.map(delta => delta.content ?? '').join(''),
            ...(call && { call: { name: call.name, args: JSON.parse(call.arguments) } })
        };
    }
};

const gemini: Api = {
    name: "Gemini's API",
    editTool: 'replace',
    async ask(model, turns) {
        const start = `<session_context>\n- **Workspace Directories:**\n  - ${FOLDER}\n</session_context>`;
        const contents: JsonObject[] = [{ role: 'user', parts: [{ text: start }] }];
        for (const { prompt, calls = [] } of turns) {
            contents.push({ role: 'user', parts: [{ text: prompt }] });
            for (const { name, args, result } of calls) {
                contents.push({ role: 'model', parts: [{ functionCall: { name, args } }] });
                contents.push({ role: 'user', parts: [{ functionResponse: { name, response: { output: result } } }] });
            }
        }
        const tools = [{ functionDeclarations: ['read_file', 'replace', 'write_file'].map(name => ({ name })) }];
        const [event] = await post(`${model.url}/v1beta/models/any:streamGenerateContent?alt=sse`, { contents, tools });
        const { parts } = JSON.parse(event).candidates[0].content;
        return {
            text: parts.map((part: JsonObject) => part.text ?? '').join(''),
            ...(parts.at(-1).functionCall && { call: parts.at(-1).functionCall })
        };
    }
};

async function post(url: string, body: unknown): Promise<string[]> {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).to.equal(200);
    const lines = (await response.text()).split('\n\n').filter(Boolean);
    return lines.map(line => line.replace(/^data: /, ''));
}

describe('the scripted model', () => {
    let model: ScriptedModel;
    /** The prompt that has the calls played. */
    let script: string;

    beforeEach(async () => {
        model = await startScriptedModel(0);
        script = await addScript(CALLS);
    });
    afterEach(() => model.close());

    async function requestsAfter(number: number): Promise<RecordedRequest[]> {
        return (await (await fetch(`${model.url}/requests?after=${number}`)).json()) as RecordedRequest[];
    }

    async function addScript(calls: unknown): Promise<string> {
        return JSON.parse((await post(`${model.url}/scripts`, calls))[0]).prompt;
    }

    for (const api of [openAi, gemini]) {
        describe(`over ${api.name}`, () => {
            const read = { name: 'read_file', args: { file_path: FILE }, result: CONTENT };

            it('plays the tool calls of a prompt one after the other, then a closing text', async () => {
                const [first, second] = CALLS.map(call => ({ ...call, result: 'done' }));
                expect((await api.ask(model, [{ prompt: script }])).call).to.deep.equal(CALLS[0]);
                expect((await api.ask(model, [{ prompt: script, calls: [first] }])).call).to.deep.equal(CALLS[1]);
                const closing = await api.ask(model, [{ prompt: script, calls: [first, second] }]);
                expect(closing.call).to.equal(undefined);
                expect(closing.text).to.contain('scripted model');
            });

            it('plays the last of several directives, as a cancelled prompt stays in front of the next one', async () => {
                const next = await addScript([{ name: 'list', args: {} }]);
                expect((await api.ask(model, [{ prompt: `${script}\n${next}` }])).call).to.deep.equal({ name: 'list', args: {} });
            });

            it('says so where there is no such script', async () => {
                expect((await api.ask(model, [{ prompt: 'PLAY:99:END' }])).text).to.contain('no script 99');
            });

            it('reads the file of the sample, proposes an edit of it and says what was done', async () => {
                const start = await api.ask(model, [{ prompt: 'improve the greeting' }]);
                expect(start.text).to.contain('scripted model');
                expect(start.call).to.deep.equal({ name: 'read_file', args: { file_path: FILE } });
                const { call } = await api.ask(model, [{ prompt: 'improve', calls: [read] }]);
                expect(call).to.have.property('name', api.editTool);
                expect(call?.args).to.include({ file_path: FILE, old_string: "    return 'Hello ' + name;" });
                const edit = { name: api.editTool, args: {}, result: 'Successfully modified' };
                expect((await api.ask(model, [{ prompt: 'improve', calls: [read, edit] }])).text).to.match(/^Done/);
            });

            it('names the file and the selection that the user has in the editor', async () => {
                const context =
                    api === openAi
                        ? `Active file:\n  Path: ${FILE}\n  Selected text:\n\`\`\`\none\ntwo\n\`\`\`\n`
                        : JSON.stringify({ activeFile: { path: FILE, selectedText: 'one\ntwo' } }, undefined, 2);
                const { text } = await api.ask(model, [{ prompt: `${context}\nimprove` }]);
                expect(text).to.contain('src/greeting.js open, with 2 lines selected');
            });

            it('proposes something else after a refusal, and after its first proposal was made', async () => {
                const refused = { name: api.editTool, args: { old_string: "    return 'Hello ' + name;" }, result: 'cancelled' };
                const other = await api.ask(model, [
                    { prompt: 'improve', calls: [read, refused] },
                    { prompt: 'something else', calls: [read] }
                ]);
                expect(other.text).to.contain('not taken');
                const changed = { ...read, result: CONTENT.replace("'Hello ' + name", '`Hello, ${who}!`') };
                const second = await api.ask(model, [{ prompt: 'more', calls: [changed] }]);
                expect(second.call?.args).to.have.property('old_string').that.is.not.equal(refused.args.old_string);
            });

            it('begins again where it has no further idea', async () => {
                const { call } = await api.ask(model, [{ prompt: 'more', calls: [{ ...read, result: 'nothing that it knows' }] }]);
                expect(call).to.deep.equal({ name: 'write_file', args: { file_path: FILE, content: CONTENT } });
            });

            it('proposes nothing in a project that is not the sample', async () => {
                const { call, text } = await api.ask(model, [{ prompt: 'improve', calls: [{ ...read, result: NOT_READ }] }]);
                expect(call).to.equal(undefined);
                expect(text).to.contain('there is no src/greeting.js here');
            });

            it('says that it is done of what was written alone, and always what to try next', async () => {
                for (const result of [...WRITTEN, ...NOT_WRITTEN]) {
                    const edit = { name: api.editTool, args: {}, result };
                    const { text } = await api.ask(model, [{ prompt: 'improve', calls: [read, edit] }]);
                    expect(/\bdone\b/i.test(text), text).to.equal(WRITTEN.includes(result));
                    expect(text).to.contain('Next: ');
                }
                const turn = { prompt: 'improve', calls: [read, { name: api.editTool, args: {}, result: WRITTEN[0] }] };
                const next = async (turns: number): Promise<string> =>
                    (await api.ask(model, Array(turns).fill(turn))).text.split('Next: ')[1];
                expect(new Set([await next(1), await next(2), await next(3), await next(4)])).to.have.property('size', 4);
            });

            it('answers what the first page says to type', async () => {
                const look = await api.ask(model, [{ prompt: 'what do you see?' }]);
                expect([look.call, look.text]).to.deep.equal([
                    undefined,
                    `I see no open file. Click into src/greeting.js, select a line, and ask again.`
                ]);
                const { call } = await api.ask(model, [{ prompt: 'add a test' }]);
                const file = `${FOLDER}/test/greeting.test.js`;
                expect(call).to.have.nested.property('args.file_path', file);
                const write = { name: 'write_file', args: { file_path: file }, result: `File ${file} has not been read in this session.` };
                const again = await api.ask(model, [{ prompt: 'add a test', calls: [write] }]);
                expect(again.call).to.deep.equal({ name: 'read_file', args: { file_path: file } });
                const readTest = { name: 'read_file', args: { file_path: file }, result: 'a test' };
                const written = await api.ask(model, [{ prompt: 'add a test', calls: [write, readTest] }]);
                expect(written.call).to.have.nested.property('args.file_path', file);
            });

            it('answers so in the chat, too, where the file and the selection follow the prompt', async () => {
                const context = [
                    `The user's active file is "${FILE}".`,
                    'The selected text is between the next line and the last:',
                    'one\ntwo'
                ];
                const prompt = `what do you see?\n\n<editor-context>\n${context.join('\n')}\n</editor-context>`;
                const { call, text } = await api.ask(model, [{ prompt }]);
                expect([call, text]).to.deep.equal([
                    undefined,
                    'I see that you have src/greeting.js open, with 2 lines selected. Next: improve the greeting'
                ]);
            });
        });
    }

    it('takes no script that it could not play', async () => {
        for (const calls of [{}, [], ['read_file'], [{ args: {} }]]) {
            const response = await fetch(`${model.url}/scripts`, { method: 'POST', body: JSON.stringify(calls) });
            expect(response.status).to.equal(400);
        }
    });

    it('tells the requests, and those after one', async () => {
        await gemini.ask(model, [{ prompt: script }]);
        await openAi.ask(model, [{ prompt: script }]);
        const requests = await requestsAfter(0);
        expect(requests.map(({ number, api, model }) => [number, api, model])).to.deep.equal([
            [1, 'gemini', 'any'],
            [2, 'openai', 'any']
        ]);
        expect(requests[0].prompt).to.contain(script);
        expect(await requestsAfter(1)).to.deep.equal(requests.slice(1));
    });

    it('answers without a stream, counts tokens and lists itself', async () => {
        const body = { messages: [{ role: 'user', content: script }] };
        const [completion] = await post(`${model.url}/v1/chat/completions`, body);
        expect(JSON.parse(completion).choices[0]).to.have.property('finish_reason', 'tool_calls');
        const contents = { contents: [{ role: 'user', parts: [{ text: script }] }] };
        const [generated] = await post(`${model.url}/v1beta/models/any:generateContent`, contents);
        expect(JSON.parse(generated).candidates[0].content.parts[0].functionCall.name).to.equal('read_file');
        const [count] = await post(`${model.url}/v1beta/models/any:countTokens`, contents);
        expect(JSON.parse(count).totalTokens).to.be.a('number');
        const models = await (await fetch(`${model.url}/v1/models`)).json();
        expect(models).to.have.nested.property('data[0].id', 'scripted-model');
    });

    it('answers what it cannot read with an error, and lives on', async () => {
        const url = `${model.url}/v1/chat/completions`;
        for (const body of ['no JSON', '[]', '{}', 'null']) {
            expect((await fetch(url, { method: 'POST', body })).status).to.equal(400);
        }
        expect((await fetch(`${model.url}/elsewhere`)).status).to.equal(404);
        expect((await openAi.ask(model, [{ prompt: script }])).call).to.have.property('name', 'read_file');
    });
});
