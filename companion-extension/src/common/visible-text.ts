// SPDX-License-Identifier: Apache-2.0

/**
 * Invisible characters that change what people see: controls, line breaks, marks of writing direction, blanks without width, fillers, tags.
 * The joiners U+200C and U+200D stay: some scripts and many emoji need them. U+FE0E and U+FE0F stay if they choose the form of an emoji.
 * Elsewhere they only make two names differ that look the same.
 */
const INVISIBLE =
    /(?!\u200c|\u200d|(?<=\p{Extended_Pictographic})(?:\ufe0e|\ufe0f)|\ufe0f\u20e3)\p{Default_Ignorable_Code_Point}|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]/gu;

/**
 * Makes text from outside, such as a file's name, one line that looks like what it is: `a[U+202E]txt.exe` instead of a name that reads
 * `aexe.txt`. It does not escape markup: show the result as text.
 *
 * @since 0.1
 */
export function visibleText(text: string): string {
    return text.replace(INVISIBLE, character => {
        const code = character.codePointAt(0) ?? 0;
        return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    });
}

/** Makes each line of a text from outside look like what it is. @since 0.1 */
export function visibleLines(text: string): string {
    return text
        .split(/\r\n?|\n/)
        .map(line => line.split('\t').map(visibleText).join('\t'))
        .join('\n');
}

/** How many kinds of invisible characters are named. */
const MOST_NAMED = 5;

/** The characters of a text that {@link visibleLines} would show, each once: `[U+200B]`. */
export function invisibleCharacters(text: string): string[] {
    const found = new Set(Array.from(text.replace(/[\t\r\n]/g, ' ').matchAll(INVISIBLE), ([character]) => visibleText(character)));
    return [...found].slice(0, MOST_NAMED);
}
