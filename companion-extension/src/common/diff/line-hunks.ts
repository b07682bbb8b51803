// SPDX-License-Identifier: Apache-2.0

import { OffsetRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/offsetRange';
import { ISequence } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/defaultLinesDiffComputer/algorithms/diffAlgorithm';
import { DynamicProgrammingDiffing } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/defaultLinesDiffComputer/algorithms/dynamicProgrammingDiffing';
import { MyersDiffAlgorithm } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/defaultLinesDiffComputer/algorithms/myersDiffAlgorithm';
import { LinesDiff } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputer';
import { linesDiffComputers } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputers';
import { markOf, withoutMark } from './raw-text';

/** A file's text; `null` if there is no file. */
export type FileText = string | null;

/** One change: the lines of the baseline, and those of the file in their place. Counted from 0; the ends are not part of it. */
export interface LineHunk {
    baseStart: number;
    baseEnd: number;
    diskStart: number;
    diskEnd: number;
}

/** A user may wait for it. After that, Monaco tells larger changes. */
const COMPUTATION_LIMIT_MS = 200;
/** As Monaco has it: up to so many lines, long equal lines count more than brackets. Beyond, that takes too long. */
const WEIGHED_LINES = 1_700;

/** The lines with their ends: a missing last end counts, and joining them makes nothing up. */
export function linesOf(text: FileText | undefined): string[] {
    return text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The changes from the baseline to the file, as Theia's diff editor shows them. */
export function hunksOf(base: FileText, disk: FileText): LineHunk[] {
    const [baseLines, diskLines] = [linesOf(base), linesOf(disk)];
    if (base === disk) {
        return [];
    }
    if (baseLines.length === 0 || diskLines.length === 0) {
        return [{ baseStart: 0, baseEnd: baseLines.length, diskStart: 0, diskEnd: diskLines.length }];
    }
    return diffLines(baseLines.map(shown), diskLines.map(shown)).changes.map(({ original, modified }) => ({
        baseStart: original.startLineNumber - 1,
        baseEnd: original.endLineNumberExclusive - 1,
        diskStart: modified.startLineNumber - 1,
        diskEnd: modified.endLineNumberExclusive - 1
    }));
}

/** Compares lines without their ends, as Theia's diff editor does. */
export function diffLines(before: string[], lines: string[]): LinesDiff {
    return linesDiffComputers.getDefault().computeDiff(before, lines, {
        ignoreTrimWhitespace: false,
        computeMoves: false,
        maxComputationTimeMs: COMPUTATION_LIMIT_MS
    });
}

/** The baseline with this change in it. */
export function keepHunk(base: FileText, disk: FileText, { baseStart, baseEnd, diskStart, diskEnd }: LineHunk): FileText {
    return replaceLines(base, baseStart, baseEnd, linesOf(disk).slice(diskStart, diskEnd), disk);
}

/** The file without this change. */
export function undoHunk(base: FileText, disk: FileText, hunk: LineHunk): FileText {
    return replaceLines(disk, hunk.diskStart, hunk.diskEnd, replacedLines(base, disk, hunk), base);
}

/**
 * Takes a change back in a text that has more edits than the file.
 * @returns `undefined` if its lines are not as they were shown
 */
export function undoHunkIn(text: FileText, base: FileText, disk: FileText, hunk: LineHunk): FileText | undefined {
    const { baseStart, baseEnd, diskStart, diskEnd } = hunk;
    const { pairs } = match(linesOf(disk), linesOf(text));
    const start = diskStart < diskEnd ? pairs.get(diskStart) : lineAfter(pairs, diskStart);
    if (start === undefined || !range(diskStart, diskEnd).every((line, index) => pairs.get(line) === start + index)) {
        return undefined;
    }
    return replaceLines(text, start, start + diskEnd - diskStart, linesOf(base).slice(baseStart, baseEnd), base);
}

/** The file with the lines of another text where they differ. All others keep their ends, which no change has. */
export function withLinesOf(text: string, disk: string): string {
    const left = hunksOf(text, disk).reduceRight<FileText>(
        (file, hunk) => replaceLines(file, hunk.diskStart, hunk.diskEnd, replacedLines(text, disk, hunk), text),
        disk
    );
    return left ?? '';
}

/** The lines of a text that come into a file. Of one that has LF alone, as git keeps texts, they end as the line before does. */
function replacedLines(text: FileText, disk: FileText, { baseStart, baseEnd, diskStart }: LineHunk): string[] {
    const lines = linesOf(text).slice(baseStart, baseEnd);
    if (text?.includes('\r\n') || !disk?.includes('\r\n')) {
        return lines;
    }
    const before = linesOf(disk)[Math.max(diskStart - 1, 0)];
    return before.endsWith('\r\n') ? lines.map(line => line.replace(/\n$/, '\r\n')) : lines;
}

/** Takes all changes back in a text that may have more edits than the file. @returns `undefined` if their lines are not as they were */
export function undoAllIn(text: FileText, base: FileText, disk: FileText): FileText | undefined {
    if (text === disk || text === base) {
        return base;
    }
    return hunksOf(base, disk).reduceRight<FileText | undefined>(
        (left, hunk) => (left === undefined ? undefined : undoHunkIn(left, base, disk, hunk)),
        text
    );
}

/**
 * Puts a user's edit of the file into the baseline: what the user typed comes in, what the user removed goes, and the rest stays. So no line
 * of the user is ever part of a change. White space does not make a line the user's: a formatter on save touches everybody's lines.
 *
 * @param from the file before the edit
 * @param to the file after it
 */
export function foldEdit(base: FileText, from: FileText, to: FileText): FileText {
    const [baseLines, fromLines, toLines] = [base, from, to].map(text => linesOf(text && withoutMark(text)));
    const [bareBase, bareFrom, bareTo] = [baseLines, fromLines, toLines].map(lines => lines.map(line => squeeze([line])));
    const baseToFrom = match(bareBase, bareFrom).pairs;
    const baseToTo = match(bareBase, bareTo).pairs;
    const edit = match(bareFrom, bareTo);
    const stays = baseLines.map((line, index): string[] => {
        const [inFrom, inTo] = [baseToFrom.get(index), baseToTo.get(index)];
        if (inTo !== undefined) {
            // What the baseline has anyway nobody typed: equal lines may be matched in several ways.
            const isReindented = inFrom === undefined || (edit.pairs.get(inFrom) === inTo && fromLines[inFrom] !== toLines[inTo]);
            return [isReindented ? toLines[inTo] : line];
        }
        return inFrom !== undefined && !edit.pairs.has(inFrom) ? [] : [line];
    });
    const typed = typedLines(edit.hunks, fromLines, toLines, turn(baseToFrom), turn(baseToTo), baseLines.length);
    const result = [...stays.flatMap((lines, index) => [...typed[index], ...lines]), ...typed[baseLines.length]];
    const isThere = result.length > 0 || (base !== null && (to !== null || from === null));
    return isThere ? markOf(to ?? base ?? '') + result.join('') : null;
}

/** What the user typed, by the line of the baseline that it stands before. */
function typedLines(
    edits: readonly LineHunk[],
    fromLines: readonly string[],
    toLines: readonly string[],
    fromToBase: ReadonlyMap<number, number>,
    toToBase: ReadonlyMap<number, number>,
    end: number
): string[][] {
    const typed: string[][] = Array.from({ length: end + 1 }, () => []);
    for (const { baseStart: fromStart, baseEnd: fromEnd, diskStart: toStart, diskEnd: toEnd } of edits) {
        const isOfAgents = fromEnd > fromStart && range(fromStart, fromEnd).every(line => !fromToBase.has(line));
        if (isOfAgents && squeeze(fromLines.slice(fromStart, fromEnd)) === squeeze(toLines.slice(toStart, toEnd))) {
            // A formatter has broken them in other places.
            continue;
        }
        let place: number | undefined;
        for (const line of range(toStart, toEnd)) {
            if (toToBase.has(line)) {
                place = undefined;
                continue;
            }
            place ??=
                next(toToBase, line - 1) ??
                first(toToBase, line, toEnd + 1) ??
                first(fromToBase, fromStart, fromEnd) ??
                next(fromToBase, fromStart - 1) ??
                first(fromToBase, fromEnd, fromLines.length) ??
                end;
            typed[place].push(toLines[line]);
        }
    }
    return typed;
}

/** Lines that are equal, each in the order of both texts, and the changes between them. */
export interface Matching {
    hunks: LineHunk[];
    /** From a line of the first text to its line of the second. */
    pairs: Map<number, number>;
}

export function match(firstLines: readonly string[], secondLines: readonly string[]): Matching {
    const hunks = compare(firstLines, secondLines);
    const pairs = new Map<number, number>();
    let [left, right] = [0, 0];
    for (const { baseStart, baseEnd, diskStart, diskEnd } of hunks) {
        for (; left < baseStart && right < diskStart; left++, right++) {
            pairs.set(left, right);
        }
        [left, right] = [baseEnd, diskEnd];
    }
    for (; left < firstLines.length && right < secondLines.length; left++, right++) {
        pairs.set(left, right);
    }
    return { hunks, pairs };
}

/** Monaco's diff without its joining of changes that are near each other. */
function compare(firstLines: readonly string[], secondLines: readonly string[]): LineHunk[] {
    if (firstLines.length === 0 || secondLines.length === 0) {
        const isEmpty = firstLines.length + secondLines.length === 0;
        return isEmpty ? [] : [{ baseStart: 0, baseEnd: firstLines.length, diskStart: 0, diskEnd: secondLines.length }];
    }
    const ids = new Map<string, number>();
    const [first, second] = [sequenceOf(firstLines, ids), sequenceOf(secondLines, ids)];
    const { diffs } =
        firstLines.length + secondLines.length < WEIGHED_LINES
            ? new DynamicProgrammingDiffing().compute(first, second, undefined, (left, right) =>
                  firstLines[left] === secondLines[right] ? 1 + Math.log(1 + firstLines[left].length) : 0.99
              )
            : new MyersDiffAlgorithm().compute(first, second);
    const ends = ({ start, endExclusive }: OffsetRange): [number, number] => [start, endExclusive];
    return diffs.map(({ seq1Range, seq2Range }) => {
        const [[baseStart, baseEnd], [diskStart, diskEnd]] = [ends(seq1Range), ends(seq2Range)];
        return { baseStart, baseEnd, diskStart, diskEnd };
    });
}

function sequenceOf(lines: readonly string[], ids: Map<string, number>): ISequence {
    const elements = lines.map(line => {
        const id = ids.get(line) ?? ids.size;
        ids.set(line, id);
        return id;
    });
    return {
        length: elements.length,
        getElement: offset => elements[offset],
        isStronglyEqual: (one, other) => elements[one] === elements[other]
    };
}

/** @param other the text on the other side: it may be a file without a line */
function replaceLines(text: FileText, start: number, end: number, lines: readonly string[], other: FileText): FileText {
    const all = linesOf(text && withoutMark(text));
    const result = [...all.slice(0, start), ...lines.map(withoutMark), ...all.slice(end)];
    return result.length > 0 || other !== null ? markOf(text ?? other ?? '') + result.join('') : null;
}

/** A missing last line end counts; which one it is, and a byte order mark, do not. */
function shown(line: string): string {
    const end = line.endsWith('\r\n') ? 2 : 1;
    return withoutMark(line.endsWith('\n') ? line.slice(0, -end) : `${line}\0`);
}

/** Without white space: a formatter makes no line another one. */
export function squeeze(lines: readonly string[]): string {
    return lines.join('').replace(/\s+/g, '');
}

function range(start: number, end: number): number[] {
    return Array.from({ length: Math.max(end - start, 0) }, (_, index) => start + index);
}

function turn(pairs: ReadonlyMap<number, number>): Map<number, number> {
    return new Map([...pairs].map(([left, right]) => [right, left]));
}

/** The line after the partner of this one. */
function next(pairs: ReadonlyMap<number, number>, line: number): number | undefined {
    const partner = pairs.get(line);
    return partner === undefined ? undefined : partner + 1;
}

/** Where nothing stands: after the partner of the line before. */
function lineAfter(pairs: ReadonlyMap<number, number>, line: number): number | undefined {
    return line === 0 ? 0 : next(pairs, line - 1);
}

/** The first partner of these lines. */
function first(pairs: ReadonlyMap<number, number>, start: number, end: number): number | undefined {
    return range(start, end)
        .map(line => pairs.get(line))
        .find(partner => partner !== undefined);
}
