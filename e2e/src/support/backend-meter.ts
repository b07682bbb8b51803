// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { BackendInspector } from './backend-inspector';
import { IdeFixture } from './ide-fixture';

/** What the backend has used. */
export class BackendMeter {
    private constructor(
        private readonly pid: number,
        private readonly inspector: BackendInspector
    ) {}

    /** @param ide started with `inspectable` */
    static async open(ide: IdeFixture): Promise<BackendMeter> {
        return new BackendMeter(ide.pid, await BackendInspector.open(ide));
    }

    /** Processor time of its main thread so far, in milliseconds: says more than the clock where others use the machine. */
    cpu(): number {
        return Number(fs.readFileSync(`/proc/${this.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    }

    /** Megabytes, garbage left out. */
    async heap(): Promise<number> {
        return (await this.inspector.used()) / 1024 ** 2;
    }

    close(): void {
        this.inspector.close();
    }
}
