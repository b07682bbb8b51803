// SPDX-License-Identifier: Apache-2.0

import { MockLogger } from '@theia/core/lib/common/test/mock-logger';

/** Keeps what is logged, so that a test can look for what must not be in it. */
export class RecordingLogger extends MockLogger {
    readonly lines: string[] = [];

    override debug(...parts: unknown[]): Promise<void> {
        return this.keep(parts);
    }

    override info(...parts: unknown[]): Promise<void> {
        return this.keep(parts);
    }

    override warn(...parts: unknown[]): Promise<void> {
        return this.keep(parts);
    }

    override error(...parts: unknown[]): Promise<void> {
        return this.keep(parts);
    }

    private async keep(parts: readonly unknown[]): Promise<void> {
        this.lines.push(parts.map(part => (part instanceof Error ? (part.stack ?? part.message) : String(part))).join(' '));
    }
}
