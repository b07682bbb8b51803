// SPDX-License-Identifier: Apache-2.0

import { LogLines } from '../../common/companion-protocol';

/** Lines that a window keeps. */
const MAX_LINES = 500;
/** Characters of a line: a path may be long. */
const MAX_LINE = 1_000;

/**
 * What happened between a window's servers and the CLIs, for the window's output channel. It stays in memory, and nothing of a file's
 * content and no token is in it.
 */
export class WindowLog {
    protected readonly lines: string[] = [];
    protected total = 0;

    constructor(protected readonly now: () => Date = () => new Date()) {}

    /** The number of the newest line; the first is 1. */
    get newest(): number {
        return this.total;
    }

    /** @param text one line, without contents and tokens */
    add(text: string): void {
        const line = text.replace(/[\r\n]+/g, ' ');
        this.lines.push(`${this.now().toISOString()} ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`);
        this.total++;
        if (this.lines.length > MAX_LINES) {
            this.lines.shift();
        }
    }

    /** The lines that are kept and newer than this number. */
    after(number: number): LogLines {
        const wanted = Math.min(Math.max(this.total - number, 0), this.lines.length);
        return { newest: this.total, lines: wanted > 0 ? this.lines.slice(-wanted) : [] };
    }
}
