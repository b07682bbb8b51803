// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { Diagnosis } from '../support/diagnosis';
import { eventually } from '../support/eventually';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

/**
 * The diagnosis in a page whose Qwen Code is connected. What each breakage looks like to the doctor is tested without a browser, in
 * `doctor.integration-spec.ts`, and what the report says of it in `diagnosis-report.spec.ts`.
 */
export function itIsDiagnosed(workbench: () => Workbench, cli: () => Cli): void {
    it('the diagnosis says at the top that IDE mode was switched off in the running CLI, and its command helps', async () => {
        await cli().terminal.submit('/ide disable');
        await eventually(
            'Qwen Code to be disconnected',
            async () => !(await workbench().page.statusDetails()).includes('Qwen Code connected')
        );
        const verdict = (await Diagnosis.run(workbench().page)).of('Qwen Code');
        expect(verdict).to.include('Qwen Code cannot connect.').and.include('IDE mode').and.include('/ide enable');
        await (await StatusPick.open(workbench().page.page)).choose('Enter types it into the prompt of Qwen Code');
        await cli().terminal.waitForScreen('/ide enable');
        await cli().terminal.sendOff();
        await workbench().page.waitForStatus('Qwen Code connected');
    });
}
