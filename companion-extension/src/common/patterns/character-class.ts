// SPDX-License-Identifier: Apache-2.0

/** Characters that a name in `[:…:]` stands for. */
const NAMED: ReadonlyMap<string, RegExp> = new Map([
    ['alnum', /[a-z0-9]/i],
    ['alpha', /[a-z]/i],
    ['blank', /[ \t]/],
    ['cntrl', /\p{Cc}/u],
    ['digit', /[0-9]/],
    ['graph', /[!-~]/],
    ['lower', /[a-z]/],
    ['print', /[ -~]/],
    ['punct', /[!-/:-@[-`{-~]/],
    ['space', /[\t-\r ]/],
    ['upper', /[A-Z]/],
    ['xdigit', /[0-9a-f]/i]
]);

/** A character class of a pattern, such as `[a-z]` or `[!0-9]`, as git (2.39) reads it. */
export class CharacterClass {
    /** A range such as `z-a` stands for no character. */
    readonly hasReversedRange: boolean;

    protected constructor(
        readonly negated: boolean,
        protected readonly ranges: ReadonlyArray<readonly [string, string]>,
        protected readonly named: readonly RegExp[],
        /** The index of the closing bracket. */
        readonly end: number
    ) {
        this.hasReversedRange = ranges.some(([from, to]) => from > to);
    }

    /** @returns `undefined` if there is no closing bracket, or a name that is not known */
    static parse(text: string, open: number): CharacterClass | undefined {
        const negated = text[open + 1] === '!' || text[open + 1] === '^';
        const start = open + (negated ? 2 : 1);
        const ranges: Array<readonly [string, string]> = [];
        const named: RegExp[] = [];
        let previous: string | undefined;
        let at = start;
        // A closing bracket that comes first is a character of the class.
        for (; at === start || text[at] !== ']'; at++) {
            const close = text.startsWith('[:', at) ? text.indexOf(']', at + 2) : undefined;
            if (close !== undefined && close > at + 2 && text[close - 1] === ':') {
                const expression = NAMED.get(text.slice(at + 2, close - 1));
                if (!expression) {
                    return undefined;
                }
                named.push(expression);
                previous = undefined;
                at = close;
                continue;
            }
            const from = text[at] === '-' && at + 1 < text.length && text[at + 1] !== ']' ? previous : undefined;
            if (from !== undefined) {
                at++;
            }
            if (text[at] === '\\') {
                at++;
            }
            if (at >= text.length) {
                return undefined;
            }
            ranges.push([from ?? text[at], text[at]]);
            previous = from === undefined ? text[at] : undefined;
        }
        return new CharacterClass(negated, ranges, named, at);
    }

    matches(character: string, ignoreCase: boolean): boolean {
        const has = this.has(character) || (ignoreCase && (this.has(character.toLowerCase()) || this.has(character.toUpperCase())));
        return has !== this.negated;
    }

    protected has(character: string): boolean {
        return this.ranges.some(([from, to]) => from <= character && character <= to) || this.named.some(name => name.test(character));
    }
}
