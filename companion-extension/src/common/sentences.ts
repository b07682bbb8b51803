// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** A sentence of the user interface as data. */
export interface Sentence {
    readonly key: string;
    /** In English. `{0}` stands for the value with the first of {@link names}. */
    readonly text: string;
    readonly names: readonly string[];
}

/** The sentences of one code. */
export interface SentenceRow {
    readonly what: Sentence;
    readonly why?: Sentence;
    /** What to do, or that nothing is to be done. */
    readonly advice?: Sentence;
    /** For a shell, if the problem has none of its own. */
    readonly command?: string;
}

export function sentence(key: string, text: string, ...names: string[]): Sentence {
    return { key, text, names };
}

/** The sentence in the user's language. A backend has no localisation: there it is in English. */
export function say({ key, text, names }: Sentence, values: Readonly<Record<string, unknown>> = {}): string {
    return nls.localize(key, text, ...names.map(name => String(values[name] ?? '')));
}

/** Chinese and Japanese have their own punctuation, without spaces. */
function isFullWidth(): boolean {
    return /^(zh|ja)\b/.test(nls.locale ?? '');
}

/** Joins whole sentences. */
export function joinSentences(sentences: ReadonlyArray<string | undefined>): string {
    return sentences.filter(Boolean).join(isFullWidth() ? '' : ' ');
}

/** Joins parts of a sentence with the comma of the user's language. */
export function joinClauses(clauses: readonly string[]): string {
    return clauses.join(isFullWidth() ? '，' : ', ');
}

/** A label for a screen reader, which pauses after each text. Some of the texts are sentences, others have no full stop. */
export function spokenLabel(texts: readonly string[]): string {
    return texts.map(text => text.replace(/[.。]$/, '')).join(isFullWidth() ? '。' : '. ');
}

/** `Qwen Code, Gemini CLI`, as the user's language writes a list. */
export function listOf(words: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
    const style = type === 'conjunction' ? 'narrow' : 'long';
    return new Intl.ListFormat(nls.locale ?? 'en', { type, style }).format(words);
}
