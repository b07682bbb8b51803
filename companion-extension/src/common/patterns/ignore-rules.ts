// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CompanionProblem } from '../companion-problem';
import { AnswerMemory } from '../answer-memory';
import { IgnoreFileRules } from './ignore-file-rules';

/** The files in which users keep other files from the CLIs. Each holds for every CLI. */
export const IGNORE_FILES = ['.geminiignore', '.qwenignore'] as const;
/** In bytes. A longer ignore file counts as unreadable: the time for a question grows with it. */
export const LONGEST_IGNORE_FILE = 64 * 1024;
/** How many lines a problem names. */
const MOST_LINES = 10;

/** The ignore files of one workspace root. A file is withheld if one of them says so: no ignore file overrides another one. */
export class IgnoreRules {
    protected readonly rules = new Map<IgnoreFile, IgnoreFileRules | Unknown>();
    protected readonly answers = new AnswerMemory<string | undefined>();

    /** A missing entry counts as unread. */
    constructor(contents: Readonly<Partial<Record<IgnoreFile, IgnoreFileContent>>> = {}) {
        for (const name of IGNORE_FILES) {
            const content = contents[name] ?? 'unread';
            if (content !== 'missing') {
                this.rules.set(name, typeof content === 'object' ? new IgnoreFileRules(content.text) : content);
            }
        }
    }

    /** True if a file is there, but not known. */
    get isIncomplete(): boolean {
        return [...this.rules.values()].some(rules => typeof rules === 'string');
    }

    /**
     * Why this file is not shared, for people; `undefined` if it may be. Until an ignore file is read, and while it cannot be read,
     * nobody knows what it withholds: then every file of the root is withheld.
     *
     * @param path relative to the root, with forward slashes, without `./`
     */
    withheldBy(path: string): string | undefined {
        return this.answers.get(path, () => {
            for (const [name, rules] of this.rules) {
                if (typeof rules === 'string') {
                    return unknownText(rules, name);
                }
                if (rules.ignores(path)) {
                    return name;
                }
            }
            return undefined;
        });
    }

    /** Problems of the files. @param nameOf the user's name for a file */
    problems(nameOf: (file: string) => string): CompanionProblem[] {
        return [...this.rules].flatMap(([name, rules]): CompanionProblem[] => {
            const file = nameOf(name);
            if (rules === 'unreadable' || rules === 'undecodable') {
                return [{ code: `ignore-${rules}`, file }];
            }
            const lines = rules === 'unread' ? [] : rules.badLines;
            const more = lines.length > MOST_LINES ? '…' : '';
            return lines.length === 0 ? [] : [{ code: 'ignore-lines', file, lines: `${lines.slice(0, MOST_LINES).join(', ')}${more}` }];
        });
    }
}

export type IgnoreFile = (typeof IGNORE_FILES)[number];

/** Why nobody knows what an ignore file says. */
type Unknown = 'unread' | 'unreadable' | 'undecodable';

/** The state of one ignore file. */
export type IgnoreFileContent = { readonly text: string } | 'missing' | Unknown;

/** Where the text of an ignore file is not UTF-8, such as from PowerShell, its patterns would match nothing. */
export function decodeIgnoreFile(bytes: Uint8Array): IgnoreFileContent {
    try {
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        return text.includes('\0') ? 'undecodable' : { text };
    } catch {
        return 'undecodable';
    }
}

function unknownText(why: Unknown, name: IgnoreFile): string {
    switch (why) {
        case 'unread':
            return nls.localize('theia/cli-companion/context/ignoreUnread', '{0} is not read yet', name);
        case 'unreadable':
            return nls.localize('theia/cli-companion/context/ignoreUnreadable', '{0} cannot be read', name);
        case 'undecodable':
            return nls.localize('theia/cli-companion/context/ignoreUndecodable', '{0} is not text in UTF-8', name);
    }
}
