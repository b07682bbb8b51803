// SPDX-License-Identifier: Apache-2.0

import { CompanionLimits } from '../companion-limits';
import { PathNames } from './path-names';
import { PathPattern } from './path-pattern';

/** How many patterns one with braces may stand for. */
const MOST_ALTERNATIVES = 256;

/**
 * Patterns that are no regular expression for Theia (1.74). In all others, a double star at the beginning may end within a name: `**\/id_{rsa,dsa}`
 * matches `/ws/my_id_rsa`. What that withheld is withheld.
 */
const PLAIN = /^(?:\*\*(?:\/[\w.-]+)+\/?|\{\*\*\/[*.]?[\w.-]+\/?(?:,\*\*\/[*.]?[\w.-]+\/?)*\})$/;

/** The names under which patterns know one file. */
export interface FileNames {
    readonly absolute: PathNames;
    /** Relative to the roots in which it lies. */
    readonly inRoots: readonly PathNames[];
    /** Relative to the user's home folder, if it lies there. */
    readonly inHome: PathNames | undefined;
}

/** A pattern without braces, for each of these names. `undefined`: it does not count there. */
interface Alternative {
    readonly absolute?: PathPattern;
    readonly inRoots?: PathPattern;
    readonly inHome?: PathPattern;
    /** A folder that matches stands for what is in it. */
    readonly withContent: boolean;
}

/** A pattern in the syntax of `files.exclude`, without regard to case. As there, it also means what is in a folder that matches. */
export class ExcludeGlob {
    /** True if it matches nothing as long as nobody knows the user's home folder. */
    readonly needsHome: boolean;

    protected constructor(
        protected readonly alternatives: readonly Alternative[],
        /** In characters, without braces. */
        readonly size: number
    ) {
        this.needsHome = alternatives.some(({ inHome }) => inHome !== undefined);
    }

    /**
     * @param means `files`: a folder only means what is in it if a slash or `/**` is at the end. For patterns that share files again.
     * @returns `undefined` if the pattern cannot be understood
     */
    static parse(text: string, means: 'folders' | 'files'): ExcludeGlob | undefined {
        // What people or programs read in several ways. A backslash is a slash to some, and makes the next character an ordinary one to others.
        const isAmbiguous = text.length > CompanionLimits.path || /\\|\$\{|\*{3}|\[:|\[[!^]\]/.test(text);
        const texts = isAmbiguous ? undefined : expandBraces(text);
        const inName = means === 'folders' && !PLAIN.test(text);
        const alternatives = texts
            ?.filter(each => each !== '')
            .map(each => parseAlternative(each, { inName, withContent: means === 'folders' }));
        const understood = alternatives?.filter(alternative => alternative !== undefined);
        return texts && understood && understood.length === alternatives?.length
            ? new ExcludeGlob(understood, texts.join('').length)
            : undefined;
    }

    matches(file: FileNames): boolean {
        return this.alternatives.some(({ absolute, inRoots, inHome, withContent }) => {
            const matchIn = (pattern: PathPattern | undefined, names: PathNames | undefined): boolean =>
                pattern !== undefined &&
                names !== undefined &&
                pattern.matchedLengths(names).some(length => withContent || length === names.length);
            return matchIn(absolute, file.absolute) || matchIn(inHome, file.inHome) || file.inRoots.some(names => matchIn(inRoots, names));
        });
    }
}

function parseAlternative(text: string, { inName, withContent }: { inName: boolean; withContent: boolean }): Alternative | undefined {
    const inHome = /^~(?:\/|$)/.test(text);
    const names = text
        .replace(/^~$|^~\/|^(?:\.\/)+/, '')
        .split('/')
        .filter(name => name !== '');
    const count = names.length;
    while (names[names.length - 1] === '**') {
        names.pop();
    }
    // To share a whole root again takes a double star.
    if (names.includes('.') || names.includes('..') || (count === 0 && !withContent)) {
        return undefined;
    }
    const joined = names.length === 0 ? '**' : names.join('/');
    const pattern = inName ? joined.replace(/^(?:\*\*\/)+/, '**/*') : joined;
    const parse = (each: string): PathPattern | undefined => PathPattern.parse(each, { ignoreCase: true });
    const parsed = parse(pattern);
    if (!parsed || parsed.hasReversedRange) {
        return undefined;
    }
    const found = { withContent: withContent || text.endsWith('/') || names.length < count };
    if (inHome) {
        return { ...found, inHome: parsed };
    }
    if (names.length === 0 || names[0] === '**') {
        // Whatever matches in a root matches the absolute path, too.
        return { ...found, absolute: parsed };
    }
    return { ...found, absolute: text.startsWith('/') ? parse(`/${pattern}`) : parsed, inRoots: parsed };
}

/** All patterns that one with braces stands for; `undefined` if they are too many, or if it cannot be understood. */
function expandBraces(text: string): string[] | undefined {
    const open = indexOutsideClasses('{}', text, 0);
    if (open === undefined) {
        return [text];
    }
    const choices: string[] = [];
    let start = open + 1;
    for (let at = open, depth = text[open] === '{' ? 1 : 0; depth > 0 || choices.length === 0;) {
        const next = indexOutsideClasses('{,}', text, at + 1);
        if (next === undefined || depth === 0) {
            return undefined;
        }
        at = next;
        depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0;
        if (depth === 0 || (depth === 1 && text[at] === ',')) {
            choices.push(text.slice(start, at));
            start = at + 1;
        }
    }
    const endings = expandBraces(text.slice(start));
    const expanded = choices.map(expandBraces);
    if (!endings || expanded.includes(undefined)) {
        return undefined;
    }
    // Behind a slash of a choice there may be a name, or, for Theia (1.74), the rest of the choice's own.
    const middles = expanded.flatMap(each => each ?? []).flatMap(each => (each.endsWith('/') ? [each, each.slice(0, -1)] : [each]));
    if (middles.length * endings.length > MOST_ALTERNATIVES) {
        return undefined;
    }
    const whole = middles.flatMap(middle => endings.map(ending => `${text.slice(0, open)}${middle}${ending}`));
    // A double star that only braces put beside other characters: names, or characters of one?
    return whole.some(each => /[^/*]\*\*|\*\*[^/*]/.test(each)) ? undefined : whole;
}

/** Where one of the characters stands, but not between `[` and `]`. */
function indexOutsideClasses(characters: string, text: string, start: number): number | undefined {
    for (let at = start; at < text.length; at++) {
        if (characters.includes(text[at])) {
            return at;
        }
        // The first character of a class may be a bracket.
        const close = text[at] === '[' ? text.indexOf(']', at + 2) : at;
        at = close < 0 ? text.length : close;
    }
    return undefined;
}
