// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { problemText } from '../../common/problem-text';
import { describeCause } from './fault-error';

interface Report {
    readonly problems: readonly CompanionProblem[];
    readonly windowId: string | undefined;
}

/**
 * What is wrong now. Each part reports its failures here and nowhere else. A problem is logged once when it appears and once when it ends,
 * and stands in the status list meanwhile. Problems name paths, because a user cannot mend what has no name; never contents or tokens.
 */
@injectable()
export class Problems {
    @inject(ILogger)
    @named('companion:Problems')
    protected readonly logger: ILogger;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    /** Reports by their sources. */
    protected readonly reports = new Map<string, Report>();

    /**
     * Replaces what a source said before. Several sources may say the same: it is one problem.
     *
     * @param source whatever tells the sources apart
     * @param windowId of the only window that the problems are about; all windows if it is left out
     */
    report(source: string, problems: readonly CompanionProblem[], windowId?: string): void {
        const before = this.texts();
        this.reports.delete(source);
        if (problems.length > 0) {
            this.reports.set(source, { problems, windowId });
        }
        const after = this.texts();
        const appeared = [...after].filter(text => !before.has(text));
        const ended = [...before].filter(text => !after.has(text));
        appeared.forEach(text => this.logger.warn(text));
        ended.forEach(text => this.logger.info(`No longer: ${text}`));
        if (appeared.length > 0 || ended.length > 0) {
            this.onDidChangeEmitter.fire();
        }
    }

    /** Reports a server that could not be started. */
    reportFailedStart(source: string, error: unknown, windowId?: string): void {
        const code = (error as NodeJS.ErrnoException).code === 'EMFILE' ? 'too-many-open-files' : 'not-started';
        this.report(source, [{ code, cause: describeCause(error) }], windowId);
    }

    /** The problems that concern a window. */
    of(windowId: string): CompanionProblem[] {
        const reports = [...this.reports.values()].filter(report => report.windowId === undefined || report.windowId === windowId);
        const problems = reports.flatMap(report => report.problems);
        return [...new Map(problems.map(problem => [problemText(problem), problem])).values()];
    }

    protected texts(): Set<string> {
        return new Set([...this.reports.values()].flatMap(({ problems }) => problems.map(problemText)));
    }
}
