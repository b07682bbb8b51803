// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { Diagnosis } from '../support/diagnosis';
import { eventually } from '../support/eventually';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

/**
 * The diagnosis in a page whose Qwen Code is connected; the cases follow one another. What each breakage looks like to the doctor is tested
 * without a browser, in `doctor.integration-spec.ts`.
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
        await (await StatusPick.open(workbench().page.page)).choose('Enter types it into the terminal that was examined');
        await cli().terminal.waitForScreen('/ide enable');
        await cli().terminal.press('Enter');
        await workbench().page.waitForStatus('Qwen Code connected');
        expect((await Diagnosis.run(workbench().page)).of('Qwen Code')).to.include('Qwen Code has been connected since');
    });

    it('the diagnosis quotes what a CLI says while the companion is off', async () => {
        await workbench().page.setPreference('companion.enabled', false);
        await workbench().page.waitForStatus('Companion off');
        expect((await Diagnosis.run(workbench().page)).of('Gemini CLI'))
            .to.include('companion.enabled')
            .and.include('not supported in your current environment');
        await workbench().page.setPreference('companion.enabled', true);
        await workbench().page.waitForStatus('Companion');
    });
}
