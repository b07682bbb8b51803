// SPDX-License-Identifier: Apache-2.0

import { AgentReport } from './agent-report';

/** `4 ; STATE ; PER CENT` */
const PROGRESS = /^4;([0-4])(?:;(\d{1,3}))?;?$/;
const GONE = '0';
const FAILED = '2';
/** It is not known how much is left. */
const ENDLESS = '3';

/** How far a program is, as it tells its terminal (ConEmu's OSC 9;4). */
export class Progress {
    report: AgentReport | undefined;

    /** @param data what follows the code 9. @returns whether it works on */
    take(data: string): boolean {
        const [, state, percent] = PROGRESS.exec(data) ?? [];
        const isWorking = state !== undefined && state !== GONE && state !== FAILED;
        if (isWorking) {
            const isKnown = percent !== undefined && state !== ENDLESS;
            this.report = { state: 'working', ...(isKnown && { progress: Math.min(100, Number(percent)) }) };
        } else if (state !== undefined) {
            this.report = state === FAILED ? { state: 'error' } : undefined;
        }
        return isWorking;
    }

    /** The shell has the keyboard again. What has failed is still news. */
    endPrograms(): void {
        this.report = this.report?.state === 'error' ? this.report : undefined;
    }

    /** The person has looked. */
    markSeen(): void {
        this.report = this.report?.state === 'error' ? undefined : this.report;
    }
}
