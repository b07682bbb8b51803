// SPDX-License-Identifier: Apache-2.0

import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { linesDiffComputers } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputers';
import { LinesDiff } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputer';

/** The user waits. */
const COMPUTATION_LIMIT_MS = 200;

/** The lines of a text that another one has otherwise, and those that it does not have. */
interface TakenLines {
    readonly changed: number;
    readonly lost: number;
}

/** Counts as Monaco's diff does. @returns `undefined` if that takes too long */
export function countTaken(before: string, text: string): TakenLines | undefined {
    if (before === '' || text === '') {
        return { changed: 0, lost: before === '' ? 0 : linesOf(before).length };
    }
    const { changes, hitTimeout } = compare(before, text);
    const sum = (count: (before: number, after: number) => number): number =>
        changes.reduce((total, { original, modified }) => total + count(original.length, modified.length), 0);
    return hitTimeout ? undefined : { changed: sum(Math.min), lost: sum((old, now) => Math.max(old - now, 0)) };
}

/** The lines of a text that are new or changed; an empty range means removed lines. */
export function changedLines(before: string, text: string): LineRange[] {
    return compare(before, text).changes.map(({ modified }) => modified);
}

function compare(before: string, text: string): LinesDiff {
    return diffLines(linesOf(before), linesOf(text));
}

export function diffLines(before: string[], lines: string[]): LinesDiff {
    return linesDiffComputers.getDefault().computeDiff(before, lines, {
        ignoreTrimWhitespace: false,
        computeMoves: false,
        maxComputationTimeMs: COMPUTATION_LIMIT_MS
    });
}

/** The empty string after the last line break is no line. */
function linesOf(text: string): string[] {
    const lines = text.split(/\r\n|\r|\n/);
    if (lines.length > 1 && lines[lines.length - 1] === '') {
        lines.pop();
    }
    return lines;
}
