// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
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
/** Each is a change of `src/greeting.js` in the sample workspace, and possible while its `before` is there. */
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
        before: '    return `Hello, ${who}!`;\n}',
        after: '    return `Hello, ${who}!`;\n}\n\n/** Says goodbye by name. */\nexport function farewell(name) {\n    return `Goodbye, ${name}!`;\n}'
    }
];
const ORIGINAL = readFileSync(new URL(`../sample-workspace/${FILE}`, import.meta.url), 'utf8');
const TEST_FILE = 'test/greeting.test.js';
const TEST = `import assert from 'node:assert';
import test from 'node:test';
import { greet } from '../src/greeting.js';

test('greets by name', () => {
    assert.match(greet('Ada'), /Ada/);
});
`;
const EDIT_TOOLS = ['edit', 'replace'];
const WRITE_TOOL = 'write_file';

/** How a result begins where the file was written; all else is a refusal or a failure, which each CLI words in many ways. */
const WRITTEN = /^(Successfully (modified|created|overwrote)|Created new file|The file:? .* has been updated|File created successfully)/;
/** How they say that the user accepted a text of their own. */
const MODIFIED = /user modified/i;
/** How the CLIs say that there is no such file (Qwen Code 0.24, Gemini CLI 0.61, Claude Code 2.1.330). */
const NOT_THERE = /no file was found|file not found|file does not exist/i;
/** How Qwen Code (0.24) refuses to write over a file that an earlier session wrote. */
const MUST_BE_READ = /has not been read in this session/;
/** What the user asks, by the words that the getting-started view suggests. */
const ASKS_WHAT_IS_SEEN = /\b(see|open|selected|selection|look)\b/i;
const ASKS_FOR_TEST = /\btests?\b/i;

/**
 * The fixed session on the sample workspace that any prompt without a tool script gets: read a file, propose an edit, say what came of it.
 * Every answer says what to try next.
 */
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
        return { text: 'This is the scripted model. It was not told which folder it works in: start the CLI in the folder of the sample.' };
    }
    const inFolder = (file: string): string => `${context.folder?.replace(/\/$/, '')}/${file}`;
    const turn = currentTurn(conversation);
    const last = turn.calls.at(-1);
    const edit = last && (last.name === editTool || last.name === WRITE_TOOL) ? last : undefined;
    if (edit && MUST_BE_READ.test(edit.result ?? '')) {
        return { text: 'It is there already, so I read it first.', call: { name: 'read_file', args: { file_path: edit.args.file_path } } };
    }
    if (edit) {
        return { text: `${closingWords(edit)} ${nextThing(conversation, editTool, edit)} (scripted model)` };
    }
    const prompt = promptOf(turn);
    if (ASKS_WHAT_IS_SEEN.test(prompt)) {
        return { text: seenWords(context) };
    }
    if (ASKS_FOR_TEST.test(prompt) && conversation.tools.includes(WRITE_TOOL)) {
        const args = { file_path: inFolder(TEST_FILE), content: TEST };
        return { text: `I propose a first test, in a new file: ${TEST_FILE}.`, call: { name: WRITE_TOOL, args } };
    }
    const file = inFolder(FILE);
    const read = turn.calls.find(call => call.name === 'read_file');
    if (!read) {
        return { text: openingWords(context), call: { name: 'read_file', args: { file_path: file } } };
    }
    const content = contentOf(read, conversation);
    if (NOT_THERE.test(content)) {
        return { text: `I know only the sample project, and there is no ${FILE} here. Ask me: what do you see?` };
    }
    const proposed = proposedBefore(conversation, turn, editTool);
    const possible = IMPROVEMENTS.filter(({ before, after }) => content.includes(before) && !content.includes(after));
    const next = possible.find(improvement => !proposed.has(improvement.before)) ?? possible[0];
    if (!next) {
        const text = `I have no further idea for ${FILE}, so I propose the file as the sample came, to begin again.`;
        return { text, call: { name: WRITE_TOOL, args: { file_path: file, content: ORIGINAL } } };
    }
    const again = possible.some(improvement => proposed.has(improvement.before));
    const words = again ? 'My last proposal was not taken, which is fine. Now I propose to' : 'I propose to';
    return { text: `${words} ${next.what}.`, call: editCall(editTool, file, next) };
}

/** What the user typed: what is added stands in front of it, or is marked. */
function promptOf(turn: Turn): string {
    const spoken = turn.text.replaceAll(/<(system-reminder|editor-context)>[\s\S]*?<\/\1>/g, '').trimEnd();
    return spoken.slice(spoken.lastIndexOf('\n') + 1);
}

function editCall(tool: string, file_path: string, { before, after, what }: Improvement): ToolCall {
    const edit = { file_path, old_string: before, new_string: after };
    return { name: tool, args: tool === 'replace' ? { ...edit, instruction: `Change ${FILE} to ${what}.` } : edit };
}

function openingWords(context: EditorContext): string {
    const seen = whatIsSeen(context);
    const greeting = 'This is the scripted model, which plays a fixed little session.';
    return `${greeting}${seen ? ` ${seen}` : ''} I read ${FILE} first.`;
}

function seenWords(context: EditorContext): string {
    const seen = whatIsSeen(context);
    return seen ? `${seen} Next: improve the greeting` : `I see no open file. Click into ${FILE}, select a line, and ask again.`;
}

/** Undefined where no file is open. */
function whatIsSeen({ folder, activeFile, selectedLines }: EditorContext): string | undefined {
    if (!activeFile) {
        return undefined;
    }
    const name = activeFile.startsWith(`${folder}/`) ? activeFile.slice(`${folder}/`.length) : activeFile;
    const selection = selectedLines ? `, with ${selectedLines} ${selectedLines === 1 ? 'line' : 'lines'} selected` : '';
    return `I see that you have ${name} open${selection}.`;
}

function closingWords(edit: AnsweredCall): string {
    const result = edit.result ?? '';
    const file = edit.name === WRITE_TOOL && edit.args.content === TEST ? TEST_FILE : FILE;
    if (WRITTEN.test(result)) {
        return MODIFIED.test(result) ? `Done: ${file} is written, with what you made of my proposal.` : `Done: ${file} is written.`;
    }
    if (/cancel|reject|declin/i.test(result)) {
        return `All right, ${file} stays as it is.`;
    }
    return `Nothing was written; the CLI says: ${result.slice(0, 300) || 'nothing'}`;
}

/** Another one for each proposal that was answered. */
function nextThing({ turns }: Conversation, editTool: string, edit: AnsweredCall): string {
    const other = editTool === 'edit' ? 'gemini' : 'qwen';
    const things = [
        MODIFIED.test(edit.result ?? '')
            ? 'Next: ask again, and reject it.'
            : 'Next: ask again, in a terminal, and change the right side of the diff before you accept it.',
        `Next: type ${other} in a second terminal, and ask that one, too.`,
        'Next: ask again, and reload the page while the diff waits: it is there again.',
        'Next: add a test'
    ];
    const proposals = turns.filter(({ calls }) => calls.some(({ name }) => name === editTool || name === WRITE_TOOL)).length;
    return things[(proposals - 1) % things.length];
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
