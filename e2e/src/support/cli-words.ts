// SPDX-License-Identifier: Apache-2.0

/** Where the CLIs differ in what a user types and sees. Words of Qwen Code 0.24.4, Gemini CLI 0.61.0, Claude Code 2.1.332 and Copilot CLI 1.0.102. */
export interface CliWords {
    readonly id: 'qwen-code' | 'gemini-cli' | 'claude-code' | 'copilot' | 'opencode' | 'kilo';
    readonly name: string;
    readonly command: string;
    /** On the screen when it takes a prompt. */
    readonly prompt: RegExp;
    /** On the screen once it knows what is selected, if it says so. Before that, it may have been told and not have heard it. */
    readonly selected?: RegExp;
    /** It has no diffs: the IDE is told nothing of its edits. */
    readonly opensNoDiffs?: true;
    /** In the command line of its processes. */
    readonly packageName: string;
    /** The tool that replaces a piece of a file. */
    readonly editTool: string;
    /** On the screen while it asks whether to apply an edit. */
    readonly question: string;
    /** On the screen while it asks whether to run a command. */
    readonly shellQuestion: RegExp;
    /** On the screen when the edit of a file was turned down. */
    readonly rejected: (file: string) => RegExp;
    /** Whether an edit that the user made in the diff counts when the proposal is accepted in the terminal. */
    readonly takesEditsFromClosedDiff: boolean;
    /** Whether an accept writes nothing where the file has changed since the CLI read it. Claude Code does neither the one nor the other. */
    readonly refusesChangedFile: boolean;
    /** A file of {@link SPECIAL_FILES} that it cannot read, and that is not mentioned therefore. */
    readonly unread?: string;
}

/** Files whose names a shell, a glob or a router would take for more. */
export const SPECIAL_FILES: Readonly<Record<string, string>> = {
    'my file.ts': 'text with a blank\n',
    'app/[id]/(group)/page.tsx': 'text with brackets\n',
    'src/routes/$post/index.tsx': 'text with a dollar\n',
    'a#b.txt': 'text with a hash\n',
    '-dash.txt': 'text with a dash\n'
};

export const QWEN_CODE: CliWords = {
    id: 'qwen-code',
    name: 'Qwen Code',
    command: 'qwen',
    prompt: /Type your message/,
    packageName: '@qwen-code/qwen-code',
    editTool: 'edit',
    question: 'Apply this change?',
    shellQuestion: /Allow execution of/,
    rejected: file => new RegExp(`- WriteFile Writing to .*${file}`),
    takesEditsFromClosedDiff: false,
    refusesChangedFile: true
};

export const GEMINI_CLI: CliWords = {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    command: 'gemini',
    prompt: /Type your message/,
    packageName: '@google/gemini-cli',
    editTool: 'replace',
    question: 'Apply this change?',
    shellQuestion: /Allow execution of/,
    rejected: file => new RegExp(`- +WriteFile.*${file}`),
    takesEditsFromClosedDiff: true,
    refusesChangedFile: false,
    unread: 'app/[id]/(group)/page.tsx'
};

/** A native program, without Node. It asks only if it was started that way. */
export const CLAUDE_CODE: CliWords = {
    id: 'claude-code',
    name: 'Claude Code',
    command: 'claude --permission-mode manual',
    prompt: /manual mode on/,
    selected: /lines? selected/,
    packageName: 'claude',
    editTool: 'edit',
    question: 'Do you want to',
    shellQuestion: /Do you want to proceed/,
    rejected: file => new RegExp(`(rejected|declined|Rejected)[^]*${file}`),
    takesEditsFromClosedDiff: false,
    refusesChangedFile: false,
    unread: 'a#b.txt'
};

/** A native program, too. */
export const COPILOT_CLI: CliWords = {
    id: 'copilot',
    name: 'Copilot CLI',
    command: 'copilot',
    prompt: /\/ commands · \? help/,
    selected: /greeting\.js:3/,
    packageName: 'copilot',
    editTool: 'edit',
    question: 'Do you want to',
    shellQuestion: /Do you want to run/,
    rejected: () => /The user rejected this tool call/,
    takesEditsFromClosedDiff: false,
    refusesChangedFile: false
};

/** OpenCode 1.18 and its fork have one screen. */
const OF_OPENCODE = {
    prompt: /Ask anything/,
    selected: /greeting\.js/,
    opensNoDiffs: true,
    editTool: 'edit',
    question: 'Permission required',
    shellQuestion: /Permission required/,
    rejected: () => /rejected/,
    takesEditsFromClosedDiff: false,
    refusesChangedFile: false
} as const;

export const OPENCODE: CliWords = { ...OF_OPENCODE, id: 'opencode', name: 'OpenCode', command: 'opencode', packageName: 'opencode' };

export const KILO_CLI: CliWords = { ...OF_OPENCODE, id: 'kilo', name: 'Kilo CLI', command: 'kilo', packageName: 'kilo' };
