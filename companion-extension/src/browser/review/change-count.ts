// SPDX-License-Identifier: Apache-2.0

import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { linesDiffComputers } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputers';
import { LinesDiff } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputer';

/** How many lines a proposal adds and removes. */
export interface ChangeCount {
    added: number;
    removed: number;
}

const COMPUTATION_LIMIT = 200;

/** Counts as Monaco's diff does. `undefined` if the texts take too long to compare while the user waits. */
export function countChanges(original: string, proposal: string): ChangeCount | undefined {
    if (original === '' || proposal === '') {
        return { added: countLines(proposal), removed: countLines(original) };
    }
    const { changes, hitTimeout } = compare(original, proposal);
    if (hitTimeout) {
        return undefined;
    }
    return {
        added: changes.reduce((sum, { modified }) => sum + modified.length, 0),
        removed: changes.reduce((sum, { original: range }) => sum + range.length, 0)
    };
}

/** The lines of a text that are new or changed; an empty range means removed lines. */
export function changedLines(before: string, text: string): LineRange[] {
    return compare(before, text).changes.map(({ modified }) => modified);
}

function compare(original: string, proposal: string): LinesDiff {
    return linesDiffComputers.getDefault().computeDiff(linesOf(original), linesOf(proposal), {
        ignoreTrimWhitespace: false,
        computeMoves: false,
        maxComputationTimeMs: COMPUTATION_LIMIT
    });
}

function countLines(text: string): number {
    return text === '' ? 0 : linesOf(text).length;
}

/** The empty string after the last line break is no line. */
function linesOf(text: string): string[] {
    const lines = text.split(/\r\n|\r|\n/);
    if (lines.length > 1 && lines[lines.length - 1] === '') {
        lines.pop();
    }
    return lines;
}
