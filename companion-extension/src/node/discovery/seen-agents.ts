// SPDX-License-Identifier: Apache-2.0

/** An agent that is only seen in terminals: it connects to no IDE. */
export interface SeenAgent {
    /** The name of its program. */
    readonly command: string;
    readonly displayName: string;
}

/** By their commands. */
const NAMES: Readonly<Record<string, string>> = {
    agy: 'Antigravity CLI',
    aider: 'Aider',
    amp: 'Amp',
    auggie: 'Auggie',
    cline: 'Cline CLI',
    cn: 'Continue CLI',
    codebuddy: 'CodeBuddy',
    codex: 'Codex',
    crush: 'Crush',
    'cursor-agent': 'Cursor CLI',
    droid: 'Droid',
    goose: 'Goose',
    kimi: 'Kimi CLI',
    'kiro-cli': 'Kiro CLI',
    pi: 'Pi',
    qodercli: 'Qoder CLI',
    vibe: 'Mistral Vibe'
};

export const SEEN_AGENTS: readonly SeenAgent[] = Object.entries(NAMES).map(([command, displayName]) => ({ command, displayName }));
