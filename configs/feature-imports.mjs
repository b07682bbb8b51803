// SPDX-License-Identifier: Apache-2.0
// Which folder may import which: docs/architecture.md, "Folders". A new feature needs no line here.

const BROWSER = 'companion-extension/src/browser';
const NODE = 'companion-extension/src/node';

/** What every feature may import. All other folders are features. */
const CORE = {
    [BROWSER]: ['diff', 'window'],
    [NODE]: ['server', 'terminal', 'discovery', 'http', 'host']
};

/** Each of these folders may import those behind it. */
const ORDER = {
    [BROWSER]: ['doctor', 'terminal', 'agents', 'changes', 'review', 'diff', 'context', 'status', 'window'],
    [NODE]: [
        'doctor',
        'prompt',
        'changes',
        'agents',
        'copilot',
        'claude',
        'mcp',
        'review',
        'context',
        'server',
        'terminal',
        'discovery',
        'http',
        'host'
    ],
    'daemon-extension/src/browser': ['commands', 'status', 'chat', 'parts', 'diff', 'connection'],
    'daemon-extension/src/node': ['server', 'session', 'connection', 'process', 'config']
};

/** What else a file may import of another feature: from this folder, of that one, these files, because. */
export const EDGES = [
    [`${BROWSER}/agents`, 'review', ['agent-commands'], 'Going to a program that waits with a proposal opens the proposal.'],
    [`${BROWSER}/agents`, 'review', ['agent-news'], 'A program that waits with a proposal is counted as the proposal.'],
    [`${BROWSER}/changes`, 'review', ['changes-contribution'], 'A key goes to a change of the proposal in front, if there is one.'],
    [
        `${BROWSER}/comments`,
        'changes',
        ['comments-module', 'comments-status', 'comment-sender'],
        'Comments are a group in the list of the changes, and for who made a change.'
    ],
    [`${BROWSER}/comments`, 'review', ['comments-contribution'], 'It rejects a proposal, and sends what is wrong with it.'],
    [`${BROWSER}/comments`, 'terminal', ['comment-sender'], 'Comments are typed into the prompt of a CLI, in its own way to name files.'],
    [`${BROWSER}/terminal`, 'agents', ['cli-prompt', 'new-line-key', 'prompt-drops'], 'Which program has the prompt of a terminal.'],
    [`${BROWSER}/terminal`, 'changes', ['prompt-contribution'], 'The line about an undo was typed: it is not offered any more.'],
    [`${BROWSER}/terminal`, 'context', ['prompt-contribution'], 'Nothing is typed of a file that is not shared.'],
    [`${BROWSER}/terminal`, 'review', ['reject-with-reason'], 'It rejects a proposal, and then types.'],
    [`${NODE}/changes`, 'agents', ['changes-window-feature'], 'Changes are followed while agents run, and say which one worked.'],
    [`${NODE}/prompt`, 'agents', ['upload-folders'], 'A folder goes with the program that reads the keys.'],
    [`${NODE}/doctor`, 'agents', ['doctor'], 'CLIs without a connection are what it is asked about.'],
    [`${NODE}/agents`, 'review', ['agent-window-feature'], 'A program that waits with a proposal.'],
    [`${NODE}/changes`, 'review', ['changes-window-feature'], 'What is accepted is expected to be written.'],
    [`${NODE}/changes`, 'context', ['folder-changes'], 'No text is kept of a file that is not shared.'],
    [`${NODE}/review`, 'context', ['review-routing'], 'No text is kept of a file that is not shared.'],
    [`${NODE}/claude`, 'mcp', ['claude-session'], 'A dialect of MCP.'],
    [`${NODE}/copilot`, 'mcp', ['copilot-server', 'copilot-session'], 'A dialect of MCP, over HTTP, too.'],
    [`${NODE}/copilot`, 'claude', ['copilot-session'], 'Both say a selection in the same shape.']
];

const IGNORES = ['**/test/**', '**/*spec.ts'];

function restrict(name, files, patterns) {
    return { name, files, ignores: IGNORES, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function orderOf(parent, folder) {
    const before = ORDER[parent].slice(0, Math.max(ORDER[parent].indexOf(folder), 0)).join('|');
    const message = `${parent}/${folder} must not depend on ${before}: folders import each other in one direction.`;
    return before ? [{ regex: `^\\.\\./(${before})/`, message }] : [];
}

function onlyCore(parent, others = []) {
    const allowed = [...(CORE[parent] ?? []), ...others].join('|');
    const message =
        'Another feature. Use a contribution point or a shared command; else add a line with the reason to configs/feature-imports.mjs.';
    return parent in CORE ? [{ regex: `^\\.\\./(?!(${allowed})/)[^./]+/`, message }] : [];
}

/** Of several entries for a file ESLint takes the last. */
export function folderImports() {
    const folders = Object.entries(ORDER).flatMap(([parent, names]) => [
        restrict(`folders/${parent}`, [`${parent}/*/**/*.{ts,tsx}`], onlyCore(parent)),
        ...names.map(name =>
            restrict(`folders/${parent}/${name}`, [`${parent}/${name}/**/*.{ts,tsx}`], [...orderOf(parent, name), ...onlyCore(parent)])
        )
    ]);
    const files = EDGES.flatMap(([from, , names]) => names.map(name => [from, name]));
    const exceptions = files.map(([from, name]) => {
        const [parent, folder] = [from.slice(0, from.lastIndexOf('/')), from.slice(from.lastIndexOf('/') + 1)];
        const others = EDGES.filter(([of, , listed]) => of === from && listed.includes(name)).map(([, to]) => to);
        return restrict(`folders/${from}/${name}`, [`${from}/${name}.ts`], [...orderOf(parent, folder), ...onlyCore(parent, others)]);
    });
    return [...folders, ...exceptions];
}
