// SPDX-License-Identifier: Apache-2.0

import { isInside } from '../path-containment';
import { StrandedCli, StrandedClis } from '../terminal/stranded-clis';

/** Between two looks at the processes, in milliseconds: pages say hello with every focus. */
const PAUSE = 5_000;

interface ServerOfClis {
    readonly port: number;
    readonly sessions: { all(): ReadonlyArray<{ readonly peer?: { readonly pid: number } }> };
}

/** Tells the windows of CLIs that run in their folders without a server to connect to. */
export class StrandedHints {
    private stranded: readonly StrandedCli[] = [];
    private lookedAt = 0;

    /** @param servers this backend's */
    constructor(
        private readonly processes: Pick<StrandedClis, 'find'> | undefined,
        private readonly cliName: (cliId: string) => string,
        private readonly servers: () => readonly ServerOfClis[]
    ) {}

    /** Looks at the processes. Never rejects. Answers whether there may be other hints than before. */
    async look(): Promise<boolean> {
        if (!this.processes || Date.now() - this.lookedAt < PAUSE) {
            return false;
        }
        this.lookedAt = Date.now();
        const before = this.stranded;
        this.stranded = await this.processes.find(new Set(this.servers().map(({ port }) => port)));
        return before.length > 0 || this.stranded.length > 0;
    }

    /** Sentences for the user of a window with these roots. A CLI that has connected again is left out. */
    in(roots: readonly string[]): string[] {
        const sessions = this.stranded.length > 0 ? this.servers().flatMap(server => server.sessions.all()) : [];
        const connected = new Set(sessions.map(({ peer }) => peer?.pid));
        const here = this.stranded.filter(({ pid, folder }) => !connected.has(pid) && roots.some(root => isInside(root, folder)));
        return [...new Set(here.map(({ cliId }) => cliId))].map(
            cliId => `${this.cliName(cliId)} still runs in a terminal whose connection is gone. Type /ide enable in it to connect it again.`
        );
    }
}
