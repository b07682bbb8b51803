// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** The sentences of one code, in English. `{cliName}` is replaced by the value of that name. @since 0.1 */
export interface SentenceRow {
    readonly what?: string;
    readonly why?: string;
    /** The advice, or that nothing is to be done. */
    readonly advice?: string;
    /** For a shell. */
    readonly command?: string;
}

/**
 * Sentences of the user interface as data. `what` has its row's id behind the prefix for its key; for the others their name follows.
 *
 * @since 0.1
 */
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

/** Chinese and Japanese have their own punctuation, without spaces. */
function isFullWidth(): boolean {
    return /^(zh|ja)\b/.test(nls.locale ?? '');
}

/** With the full stop of the user's language, if it has no end. */
export function asSentence(text: string): string {
    return /[.。!！?？…]$/.test(text) ? text : `${text}${isFullWidth() ? '。' : '.'}`;
}

/** Joins whole sentences. */
export function joinSentences(sentences: ReadonlyArray<string | undefined>): string {
    return sentences.filter(Boolean).join(isFullWidth() ? '' : ' ');
}

/** Joins parts of a sentence with the comma of the user's language. */
export function joinClauses(clauses: readonly string[]): string {
    return clauses.join(isFullWidth() ? '，' : ', ');
}

/** A label for a screen reader, which pauses after each text. Some of the texts are sentences, others have no full stop. @since 0.1 */
export function spokenLabel(texts: readonly string[]): string {
    return texts.map(text => text.replace(/[.。]$/, '')).join(isFullWidth() ? '。' : '. ');
}

/** `Qwen Code, Gemini CLI`, as the user's language writes a list. @since 0.1 */
export function listOf(words: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
    const style = type === 'conjunction' ? 'narrow' : 'long';
    return new Intl.ListFormat(nls.locale ?? 'en', { type, style }).format(words);
}

export function noAnswerText(): string {
    return nls.localize('theia/cli-companion/review/noAnswer', 'The backend does not answer.');
}
