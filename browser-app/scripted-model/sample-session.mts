// SPDX-License-Identifier: Apache-2.0

import type { AnsweredCall, Answer, Conversation, ToolCall, Turn } from './conversation.mts';
import { currentTurn } from './conversation.mts';
import type { EditorContext } from './editor-context.mts';
import { readEditorContext } from './editor-context.mts';

interface Improvement {
    readonly before: string;
    readonly after: string;
    /** Ends the sentence "I propose to …". */
    readonly what: string;
}

const FILE = 'src/greeting.js';
/** Each is a change of one line of `src/greeting.js` in the sample workspace, and possible while its `before` is there. */
const IMPROVEMENTS: Improvement[] = [
    {
        what: 'greet the world where nobody is named, instead of "undefined"',
        before: "    return 'Hello ' + name;",
        after: "    const who = name?.trim() || 'world';\n    return `Hello, ${who}!`;"
    },
    {
        what: 'say in the comment what happens without a name',
        before: '/** Greets someone by name. */',
        after: '/** Greets someone by name, or the world where no name is given. */'
    },
    {
        what: 'add a way to say goodbye',
        before: 'export function greet(name) {',
        after: 'export function farewell(name) {\n    return `Goodbye, ${name}!`;\n}\n\nexport function greet(name) {'
    }
];
const EDIT_TOOLS = ['edit', 'replace'];

/** The fixed session on the sample workspace that any prompt without a tool script gets: read a file, propose an edit, say so. */
export function playSampleSession(conversation: Conversation): Answer {
    if (conversation.json) {
        return { text: '{}' };
    }
    const editTool = EDIT_TOOLS.find(tool => conversation.tools.includes(tool));
    if (!editTool || !conversation.tools.includes('read_file')) {
        return { text: 'This is the scripted model. Without tools to read and edit files it has nothing to play.' };
    }
    const context = readEditorContext(conversation);
    if (!context.folder) {
        return { text: 'This is the scripted model. It was not told which folder it works in, so it can do nothing here.' };
    }
    const file = `${context.folder.replace(/\/$/, '')}/${FILE}`;
    const turn = currentTurn(conversation);
    const edit = turn.calls.find(call => call.name === editTool);
    if (edit) {
        return { text: closingWords(edit) };
    }
    const read = turn.calls.find(call => call.name === 'read_file');
    if (!read) {
        return { text: openingWords(context), call: { name: 'read_file', args: { file_path: file } } };
    }
    const content = contentOf(read, conversation);
    const proposed = proposedBefore(conversation, turn, editTool);
    const possible = IMPROVEMENTS.filter(({ before, after }) => content.includes(before) && !content.includes(after));
    const next = possible.find(improvement => !proposed.has(improvement.before)) ?? possible[0];
    if (!next) {
        return { text: `The scripted model has no further idea for ${FILE}. A fresh copy of the sample comes with the next npm start.` };
    }
    const again = possible.some(improvement => proposed.has(improvement.before));
    const words = again ? 'My last proposal was not taken, which is fine. Now I propose to' : 'I propose to';
    return { text: `${words} ${next.what}.`, call: editCall(editTool, file, next) };
}

function editCall(tool: string, file_path: string, { before, after, what }: Improvement): ToolCall {
    const edit = { file_path, old_string: before, new_string: after };
    return { name: tool, args: tool === 'replace' ? { ...edit, instruction: `Change ${FILE} to ${what}.` } : edit };
}

function openingWords({ folder, activeFile, selectedLines }: EditorContext): string {
    const greeting = 'This is the scripted model, which plays a fixed little session.';
    if (!activeFile) {
        return `${greeting} I read ${FILE} first.`;
    }
    const name = activeFile.startsWith(`${folder}/`) ? activeFile.slice(`${folder}/`.length) : activeFile;
    const selection = selectedLines ? `, with ${selectedLines} ${selectedLines === 1 ? 'line' : 'lines'} selected` : '';
    return `${greeting} I see that you have ${name} open${selection}. I read ${FILE} first.`;
}

function closingWords(edit: AnsweredCall): string {
    const result = edit.result ?? '';
    if (/cancel|reject|declin/i.test(result)) {
        return 'All right, I leave the file as it is. (scripted model)';
    }
    if (/user modified/i.test(result)) {
        return `Done: ${FILE} is changed, with what you made of my proposal. (scripted model)`;
    }
    if (/\berror\b|\bfailed\b|could not/i.test(result)) {
        return `The edit was not made; the CLI says: ${result.slice(0, 300)} (scripted model)`;
    }
    return `Done: ${FILE} is changed. Ask again for another improvement. (scripted model)`;
}

/** Qwen answers a second reading of an unchanged file with a remark that the content was given before. */
function contentOf(read: AnsweredCall, conversation: Conversation): string {
    if (!/unchanged since last read/.test(read.result ?? '')) {
        return read.result ?? '';
    }
    const readings = conversation.turns
        .flatMap(({ calls }) => calls)
        .filter(call => call.name === 'read_file' && call.args.file_path === read.args.file_path)
        .map(call => call.result ?? '');
    return readings.findLast(result => !/unchanged since last read/.test(result)) ?? '';
}

/** The lines that earlier turns wanted to replace. Where one is still in the file, the user did not want that. */
function proposedBefore(conversation: Conversation, turn: Turn, editTool: string): Set<unknown> {
    const earlier = conversation.turns.filter(other => other !== turn);
    return new Set(earlier.flatMap(({ calls }) => calls.filter(call => call.name === editTool).map(call => call.args.old_string)));
}
