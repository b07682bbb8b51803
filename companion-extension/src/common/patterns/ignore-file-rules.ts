// SPDX-License-Identifier: Apache-2.0

import { CompanionLimits } from '../companion-limits';
import { PathNames } from './path-names';
import { PathPattern } from './path-pattern';

interface IgnoreRule {
    readonly patterns: readonly PathPattern[];
    /** With `!`: what matches is not ignored. */
    readonly negated: boolean;
    /** With a slash at the end: only folders match. */
    readonly onlyFolders: boolean;
}

/**
 * The rules of one ignore file, as git (2.39) reads a `.gitignore`, but without regard to case, so that more is ignored. Only a rule with `!` keeps
 * to the case.
 */
export class IgnoreFileRules {
    /** The numbers of the lines that are no patterns, from 1. They ignore nothing; the others count. */
    readonly badLines: readonly number[];
    protected readonly rules: readonly IgnoreRule[];

    constructor(text: string) {
        const lines = text
            .replace(/^\uFEFF/, '')
            .split('\n')
            .map(line => withoutTrailingBlanks(line.replace(/\r$/, '')));
        const rules = lines.map(line => (line === '' || line.startsWith('#') ? undefined : parseRule(line)));
        this.rules = rules.filter(rule => rule !== undefined && rule !== 'bad');
        const isBad = (rule: (typeof rules)[number]): boolean =>
            rule === 'bad' || (rule?.patterns.some(({ hasReversedRange }) => hasReversedRange) ?? false);
        this.badLines = rules.flatMap((rule, index) => (isBad(rule) ? [index + 1] : []));
    }

    /** @param path of a file, relative to the folder of the ignore file, with forward slashes */
    ignores(path: string): boolean {
        const names = new PathNames(path);
        // For the path's first name, its first two, and so on, the last rule that matches. The last of them is the file.
        const matching: Array<IgnoreRule | undefined> = [];
        for (const rule of this.rules) {
            for (const length of rule.patterns.flatMap(pattern => pattern.matchedLengths(names))) {
                if (length < names.length || !rule.onlyFolders) {
                    matching[length] = rule;
                }
            }
        }
        return matching.some(rule => rule !== undefined && !rule.negated);
    }
}

/** Trims as git does. A backslash keeps the blank behind it. */
function withoutTrailingBlanks(line: string): string {
    let end = line.length;
    while (line[end - 1] === ' ') {
        end--;
    }
    let backslashes = 0;
    while (line[end - 1 - backslashes] === '\\') {
        backslashes++;
    }
    return line.slice(0, end + (backslashes % 2));
}

function parseRule(line: string): IgnoreRule | 'bad' {
    const negated = line.startsWith('!');
    const onlyFolders = line.endsWith('/');
    const text = line.slice(negated ? 1 : 0, onlyFolders ? -1 : undefined);
    if (text === '' || text.length > CompanionLimits.path) {
        return 'bad';
    }
    const texts = text.includes('/') ? alternatives(text.replace(/^\//, '')) : [`**/${text}`];
    const patterns = texts.map(each => PathPattern.parse(each, { ignoreCase: !negated }));
    return patterns.includes(undefined) ? 'bad' : { patterns: patterns.filter(pattern => pattern !== undefined), negated, onlyFolders };
}

/**
 * Git (2.39) compares what stands before the first special character, and takes the rest for a pattern of its own. So the wildcard of `a**\/b`
 * stands at a beginning, and matches whole names.
 */
function alternatives(text: string): string[] {
    const [, start, slash, rest] = /^([^*?[\\]*[^*?[\\/])\*\*+(?:\/\*\*+)*(\/|\\\/|$)(.*)$/s.exec(text) ?? [];
    switch (slash) {
        case undefined:
            return [text];
        case '':
            return [`${start}*`, `${start}*/**`];
        case '/':
            return [`${start}${rest}`, `${start}*/**/${rest}`];
        default:
            return [`${start}*/**/${rest}`];
    }
}
