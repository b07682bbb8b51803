// SPDX-License-Identifier: Apache-2.0

import { linesDiffComputers } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputers';

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
    const { changes, hitTimeout } = linesDiffComputers.getDefault().computeDiff(linesOf(original), linesOf(proposal), {
        ignoreTrimWhitespace: false,
        computeMoves: false,
        maxComputationTimeMs: COMPUTATION_LIMIT
    });
    if (hitTimeout) {
        return undefined;
    }
    return {
        added: changes.reduce((sum, { modified }) => sum + modified.length, 0),
        removed: changes.reduce((sum, { original: range }) => sum + range.length, 0)
    };
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
