// SPDX-License-Identifier: Apache-2.0

import { CompanionProblem } from '../../common/companion-problem';
import { FileDiagnostics } from '../../common/companion-protocol';
import { Problems } from '../host/problems';
import type { CliSession, SessionWindow } from '../mcp/cli-session';

/**
 * Stands for the window of CLIs that could be in any of several windows: the system does not report their processes, and they do not say
 * their folder. They get nothing of any window, because it might be another project's.
 */
export class UnplacedClis implements SessionWindow {
    /** So that `openDiff` says why it fails. */
    readonly reviewsOffered = true;
    protected readonly sessions = new Set<CliSession>();

    constructor(
        protected readonly problems: Pick<Problems, 'report'>,
        protected readonly nameOf: (cliId: string) => string
    ) {}

    join(session: CliSession): void {
        this.sessions.add(session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.sessions.delete(session);
                this.report();
            }
        });
        this.report();
    }

    async openDiff(_owner: CliSession, filePath: string): Promise<string> {
        return `${filePath} cannot be shown: the IDE has windows with different folders, and cannot tell in which one this CLI runs`;
    }

    async closeDiff(): Promise<undefined> {
        return undefined;
    }

    async diagnostics(): Promise<readonly FileDiagnostics[]> {
        return [];
    }

    protected report(): void {
        const problems = [...this.sessions].map(({ cliId }): CompanionProblem => ({ code: 'cli-not-placed', cliName: this.nameOf(cliId) }));
        this.problems.report('CLIs without a window', problems);
    }
}
