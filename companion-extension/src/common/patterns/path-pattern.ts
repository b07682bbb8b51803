// SPDX-License-Identifier: Apache-2.0

import { CharacterClass } from './character-class';
import { isAnyNumber, NamePart, NamePattern } from './name-pattern';
import { PathNames } from './path-names';
import { Block, WildcardSequence } from './wildcard-sequence';

/**
 * A pattern of names with slashes between them, such as `src/**\/*.key`: `**` stands for any number of names, at the end for one or more; `*`, `?`
 * and `[a-z]` stand for characters of a name; a backslash makes the next character an ordinary one.
 */
export class PathPattern {
    /** `[z-a]` stands for no character. */
    readonly hasReversedRange: boolean;
    protected readonly folded: WildcardSequence<readonly string[]> | undefined;
    protected readonly exact: WildcardSequence<readonly string[]> | undefined;

    protected constructor(names: ReadonlyArray<readonly NamePart[]>, ignoreCase: boolean) {
        const classes = names.flat().filter(part => part instanceof CharacterClass);
        this.hasReversedRange = classes.some(({ hasReversedRange }) => hasReversedRange);
        this.folded = ignoreCase ? sequenceOf(names, true) : undefined;
        // `[!a]` matches `A` only with regard to case. What matches in either way is excluded.
        this.exact = !ignoreCase || classes.some(({ negated }) => negated) ? sequenceOf(names, false) : undefined;
    }

    /** @returns `undefined` if the pattern cannot be understood: it matches nothing */
    static parse(text: string, { ignoreCase }: { ignoreCase: boolean }): PathPattern | undefined {
        const pattern = text.normalize('NFC');
        const names: NamePart[][] = [[]];
        for (let at = 0; at < pattern.length; at++) {
            let character = pattern[at];
            const isEscaped = character === '\\';
            if (isEscaped) {
                at++;
                if (at === pattern.length) {
                    return undefined;
                }
                character = pattern[at];
            }
            const name = names[names.length - 1];
            if (character === '/') {
                if (isEscaped && isAnyNumber(name)) {
                    // For git (2.39), `**\/` stands for one name or more.
                    name.length = 1;
                    names.push(['*', '*']);
                }
                names.push([]);
            } else if (character === '[' && !isEscaped) {
                const parsed = CharacterClass.parse(pattern, at);
                if (!parsed) {
                    return undefined;
                }
                name.push(parsed);
                at = parsed.end;
            } else if ((character === '*' || character === '?') && !isEscaped) {
                name.push(character);
            } else {
                name.push({ literal: character });
            }
        }
        return new PathPattern(names, ignoreCase);
    }

    /** How many of the path's names match: each beginning of the path that the pattern stands for. */
    matchedLengths({ folded, exact }: PathNames): readonly number[] {
        return [...(this.folded?.matchedLengths(folded) ?? []), ...(this.exact?.matchedLengths(exact) ?? [])];
    }
}

function sequenceOf(names: ReadonlyArray<readonly NamePart[]>, ignoreCase: boolean): WildcardSequence<readonly string[]> {
    const blocks: NamePattern[][] = [[]];
    names.forEach((parts, index) => {
        if (!isAnyNumber(parts)) {
            blocks[blocks.length - 1].push(new NamePattern(parts, ignoreCase));
            return;
        }
        if (index === names.length - 1) {
            blocks[blocks.length - 1].push(new NamePattern(['*'], ignoreCase));
        }
        blocks.push([]);
    });
    return new WildcardSequence(blocks.map(block => new NameBlock(block)));
}

class NameBlock implements Block<readonly string[]> {
    readonly length: number;

    constructor(protected readonly patterns: readonly NamePattern[]) {
        this.length = patterns.length;
    }

    fitsAt(names: readonly string[], start: number): boolean {
        for (let index = 0; index < this.length; index++) {
            if (!this.patterns[index].matches(names[start + index])) {
                return false;
            }
        }
        return true;
    }
}
