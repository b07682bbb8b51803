// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** What one code says, in English. `{cliName}` stands for the value of that name. */
export interface SentenceRow {
    readonly what?: string;
    readonly why?: string;
    /** What to do, or that nothing is to be done. */
    readonly advice?: string;
    /** For a shell. */
    readonly command?: string;
}

/** Sentences of the user interface as data. `what` has its row's id behind the prefix for its key; for the others their name follows. */
export class SentenceTable<Id extends string, Row extends SentenceRow = SentenceRow> {
    constructor(
        protected readonly prefix: string,
        readonly rows: Readonly<Record<Id, Row>>
    ) {}

    /** A row in the user's language. A backend has no localisation: there it is in English. A value `command` counts before the row's. */
    describe(id: Id, values: Readonly<Record<string, unknown>> = {}): SentenceRow {
        const row: SentenceRow = this.rows[id];
        const say = (key: string, text: string): string =>
            nls.localize(key, text).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
        const command = values['command'] ?? row.command;
        return {
            ...(row.what !== undefined && { what: say(`${this.prefix}${id}`, row.what) }),
            ...(row.why !== undefined && { why: say(`${this.prefix}${id}.why`, row.why) }),
            ...(row.advice !== undefined && { advice: say(`${this.prefix}${id}.advice`, row.advice) }),
            ...(command !== undefined && { command: String(command) })
        };
    }
}

/** Puts whole sentences one behind the other. Chinese and Japanese have no space between them. */
export function joinSentences(sentences: ReadonlyArray<string | undefined>): string {
    return sentences.filter(Boolean).join(/^(zh|ja)\b/.test(nls.locale ?? '') ? '' : ' ');
}

/** Puts parts of a sentence one behind the other, with the comma of the user's language. */
export function joinClauses(clauses: readonly string[]): string {
    return clauses.join(/^(zh|ja)\b/.test(nls.locale ?? '') ? '，' : ', ');
}

/** `Qwen Code, Gemini CLI`, as the user's language writes a list. */
export function listOf(words: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
    const style = type === 'conjunction' ? 'narrow' : 'long';
    return new Intl.ListFormat(nls.locale ?? 'en', { type, style }).format(words);
}
