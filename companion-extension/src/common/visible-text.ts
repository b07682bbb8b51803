// SPDX-License-Identifier: Apache-2.0

/**
 * Characters that are not seen and change what is seen: controls, line ends, marks of writing direction, blanks of no width, fillers, tags.
 * The joiners U+200C and U+200D stay: some scripts and many emoji are made with them. So do U+FE0E and U+FE0F where they choose the form
 * of an emoji; elsewhere they only make two names differ that look the same.
 */
const INVISIBLE =
    /(?!\u200c|\u200d|(?<=\p{Extended_Pictographic})(?:\ufe0e|\ufe0f)|\ufe0f\u20e3)\p{Default_Ignorable_Code_Point}|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]/gu;

/**
 * Text from outside, such as a file's name, as one line that looks like what it is: `a[U+202E]txt.exe` instead of a name that reads
 * `aexe.txt`. Markup is not touched: whoever shows the text shows it as text.
 */
export function visibleText(text: string): string {
    return text.replace(INVISIBLE, character => {
        const code = character.codePointAt(0) ?? 0;
        return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    });
}
