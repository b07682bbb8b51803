// SPDX-License-Identifier: Apache-2.0

import { LogLines } from '../../common/companion-protocol';

/** Lines that a window keeps. */
const MAX_LINES = 500;
/** Workspaces whose lines are kept after their last page has gone. */
const MAX_LOGS = 20;
/** Characters of a line: a path may be long. */
const MAX_LINE = 1_000;

/**
 * What happened between a window's servers and the CLIs, for the window's output channel. It stays in memory, and nothing of a file's
 * content and no token is in it.
 */
export class WindowLog {
    protected readonly lines: string[] = [];
    protected total = 0;
    protected sessions = 0;

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

    /** The next session's number. */
    nextSession(): number {
        return ++this.sessions;
    }

    /** The lines that are kept and newer than this number. */
    after(number: number): LogLines {
        const wanted = Math.min(Math.max(this.total - number, 0), this.lines.length);
        return { newest: this.total, lines: wanted > 0 ? this.lines.slice(-wanted) : [] };
    }
}

/** One log for each workspace: a page that is opened again has the lines of the one before. */
export class WorkspaceLogs {
    /** By their roots, the one that was used last at the end. */
    protected readonly logs = new Map<string, WindowLog>();

    of(roots: readonly string[]): WindowLog {
        const key = [...roots].sort().join('\0');
        const log = this.logs.get(key) ?? new WindowLog();
        this.logs.delete(key);
        this.logs.set(key, log);
        if (this.logs.size > MAX_LOGS) {
            this.logs.delete([...this.logs.keys()][0]);
        }
        return log;
    }
}
