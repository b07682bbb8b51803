// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** A sentence of the user interface as data. */
export interface Sentence {
    readonly key: string;
    /** In English. `{cliName}` stands for the value of that name. */
    readonly text: string;
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

export function sentence(key: string, text: string): Sentence {
    return { key, text };
}

/** The sentence in the user's language. A backend has no localisation: there it is in English. */
export function say({ key, text }: Sentence, values: Readonly<Record<string, unknown>> = {}): string {
    return nls.localize(key, text).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
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
