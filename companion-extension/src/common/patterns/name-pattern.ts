// SPDX-License-Identifier: Apache-2.0

import { CharacterClass } from './character-class';
import { withoutCase } from './path-names';
import { Block, WildcardSequence } from './wildcard-sequence';

/** `*` stands for any number of characters of a name, `?` for one. */
export type NamePart = '*' | '?' | CharacterClass | { readonly literal: string };

/** A pattern of one name in a path, with or without regard to case. */
export class NamePattern {
    /** The one name that matches; `undefined` if there are several. */
    protected readonly literal: string | undefined;
    protected readonly sequence: WildcardSequence<string>;

    constructor(parts: readonly NamePart[], ignoreCase: boolean) {
        const blocks: Array<Array<string | CharacterClass | undefined>> = [[]];
        for (const part of parts) {
            const block = blocks[blocks.length - 1];
            if (part === '*') {
                blocks.push([]);
            } else if (part === '?') {
                block.push(undefined);
            } else if (part instanceof CharacterClass) {
                block.push(part);
            } else {
                // One character may be two without regard to case.
                block.push(...(ignoreCase ? withoutCase(part.literal) : part.literal).split(''));
            }
        }
        this.sequence = new WildcardSequence(blocks.map(block => new CharacterBlock(block, ignoreCase)));
        const literals = parts.map(part => (typeof part === 'object' && 'literal' in part ? part.literal : undefined));
        if (!literals.includes(undefined)) {
            this.literal = ignoreCase ? withoutCase(literals.join('')) : literals.join('');
        }
    }

    /** @param name in the Unicode form and the case of {@link PathNames} */
    matches(name: string): boolean {
        return this.literal === undefined ? this.sequence.matches(name) : this.literal === name;
    }
}

/** True if they stand for any number of names. */
export function isAnyNumber(parts: readonly NamePart[]): boolean {
    return parts.length > 1 && parts.every(part => part === '*');
}

/** Most of the time is spent here. */
class CharacterBlock implements Block<string> {
    readonly length: number;
    /** `undefined` if some of the characters are not given. */
    protected readonly literal: string | undefined;

    /** @param characters `undefined`: any */
    constructor(
        protected readonly characters: ReadonlyArray<string | CharacterClass | undefined>,
        protected readonly ignoreCase: boolean
    ) {
        this.length = characters.length;
        this.literal = characters.every(each => typeof each === 'string') ? characters.join('') : undefined;
    }

    fitsAt(name: string, start: number): boolean {
        if (this.literal !== undefined) {
            return name.startsWith(this.literal, start);
        }
        for (let index = 0; index < this.length; index++) {
            const expected = this.characters[index];
            const character = name[start + index];
            if (typeof expected === 'string' ? expected !== character : expected?.matches(character, this.ignoreCase) === false) {
                return false;
            }
        }
        return true;
    }
}
