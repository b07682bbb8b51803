// SPDX-License-Identifier: Apache-2.0

import { LineHunk, linesOf, match, Matching, squeeze } from './line-hunks';
import { markOf, withoutMark } from './raw-text';

/** A text without an edit that was made to it. */
export interface WithoutEdit {
    readonly text: string;
    /** Lines of the edit stay, for somebody has changed them since. */
    readonly isPartial: boolean;
}

/**
 * Takes an edit back in a text that others have changed since, by lines: a merge of three texts. Each line of others stays, also between those
 * of the edit. As in `foldEdit`, white space does not make a line another one.
 */
export function undoEdit(text: string, before: string, after: string): WithoutEdit {
    const [lines, beforeLines, afterLines] = [text, before, after].map(each => linesOf(withoutMark(each)));
    const { pairs } = match(bare(afterLines), bare(lines));
    const removed = new Set<number>();
    const inserted = new Map<number, string[]>();
    let isPartial = false;
    for (const hunk of match(beforeLines, afterLines).hunks) {
        const [old, made] = [beforeLines.slice(hunk.baseStart, hunk.baseEnd), afterLines.slice(hunk.diskStart, hunk.diskEnd)];
        const found = made.flatMap((_, index) => pairs.get(hunk.diskStart + index) ?? []);
        const { start, end, there } = placeOf(hunk, pairs, afterLines.length, lines);
        const place = found[0] ?? start ?? end;
        if ((found.length < made.length || made.length === 0) && areSame(bare(there), bare(old))) {
            // It is taken back already.
            continue;
        }
        if (place === undefined || (old.length > 0 && found.length < made.length)) {
            // Somebody has changed the lines that stand in the place of the old ones.
            isPartial = true;
            continue;
        }
        // Of lines that were new, those that are as they were go.
        isPartial ||= found.length < made.length && there.length > found.length;
        found.forEach(line => removed.add(line));
        inserted.set(place, [...(inserted.get(place) ?? []), ...old]);
    }
    const result = [...lines, ''].flatMap((line, index) => [...(inserted.get(index) ?? []), ...(removed.has(index) ? [] : [line])]);
    return { text: markOf(text) + withLineEnds(result.filter(line => line !== '')).join(''), isPartial };
}

interface Place {
    /** Of the line behind the one that stood before the change, and of the one that stood after it; `undefined` if these have changed. */
    readonly start: number | undefined;
    readonly end: number | undefined;
    /** What stands between the nearest lines that have not. */
    readonly there: readonly string[];
}

function placeOf({ diskStart, diskEnd }: LineHunk, pairs: Matching['pairs'], afterLength: number, lines: readonly string[]): Place {
    let [above, below] = [diskStart - 1, diskEnd];
    while (above >= 0 && !pairs.has(above)) {
        above--;
    }
    while (below < afterLength && !pairs.has(below)) {
        below++;
    }
    const [start, end] = [(pairs.get(above) ?? -1) + 1, pairs.get(below) ?? lines.length];
    return {
        start: above === diskStart - 1 ? start : undefined,
        end: below === diskEnd ? end : undefined,
        there: lines.slice(start, end)
    };
}

function bare(lines: readonly string[]): string[] {
    return lines.map(line => squeeze([line]));
}

function areSame(lines: readonly string[], others: readonly string[]): boolean {
    return lines.length === others.length && lines.every((line, index) => line === others[index]);
}

/** What was the last line of one text may stand before another one now. */
function withLineEnds(lines: readonly string[]): string[] {
    const end = lines.some(line => line.endsWith('\r\n')) ? '\r\n' : '\n';
    return lines.map((line, index) => (index < lines.length - 1 && !line.endsWith('\n') ? line + end : line));
}
