// SPDX-License-Identifier: Apache-2.0

import { AgentState } from '../../common/companion-protocol';
import { TitleMarks } from '../discovery/supported-cli';
import { AgentReport } from './agent-report';

/** What a CLI does, as its terminal's title tells. That it has finished is told by no title: it is idle after it has worked. */
export class TitleStatus {
    report: AgentReport | undefined;

    take(title: string, marks: TitleMarks): void {
        const [state] = Object.entries(marks).find(([, mark]) => title.startsWith(mark)) ?? ['idle'];
        const isOver = state === 'idle' && this.report !== undefined && this.report.state !== 'idle';
        this.report = { state: isOver ? 'done' : (state as AgentState) };
    }

    /** The person has looked. */
    markSeen(): void {
        if (this.report?.state === 'done') {
            this.report = { state: 'idle' };
        }
    }

    end(): void {
        this.report = undefined;
    }
}
