// SPDX-License-Identifier: Apache-2.0

import { Readable } from 'stream';
import { Redactor } from '../config/redactor';

/** Lines kept of a daemon's output, and the longest that one may get. */
const MAX_LINES = 200;
const MAX_LINE = 2_000;

/** Drains a process's output, which would stop at full pipes, and keeps the end of it without secrets. */
export class OutputRing {
    protected readonly lines: string[] = [];

    constructor(
        protected readonly redactor: Redactor,
        protected readonly onLine: (line: string) => void
    ) {}

    drain(stream: Readable): void {
        let rest = '';
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => {
            const parts = (rest + chunk).split(/\r?\n/);
            rest = (parts.pop() ?? '').slice(-MAX_LINE);
            parts.forEach(line => this.add(line));
        });
        stream.on('end', () => this.add(rest));
        // A pipe that breaks with its process says nothing that the process's end does not say.
        stream.on('error', () => undefined);
    }

    /** The last line that says something, for people. */
    lastLine(): string | undefined {
        return this.lines.at(-1);
    }

    protected add(line: string): void {
        if (line.trim() !== '') {
            const clean = this.redactor.redactError(line, MAX_LINE);
            this.lines.push(clean);
            if (this.lines.length > MAX_LINES) {
                this.lines.shift();
            }
            this.onLine(clean);
        }
    }
}
