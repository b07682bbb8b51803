// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { QWEN_CODE } from '../support/cli-words';
import { Diagnosis } from '../support/diagnosis';
import { eventually } from '../support/eventually';
import { Workbench } from '../support/workbench';

/** The cases follow one another. What each breakage looks like to the doctor is tested without a browser, in `doctor.integration-spec.ts`. */
describe('The diagnosis of the connection', () => {
    let workbench: Workbench;
    let cli: Cli;

    before(async () => {
        workbench = await Workbench.start({ model: true });
        cli = await workbench.prepare('Qwen Code', () => Cli.start(QWEN_CODE, workbench));
    });
    after(() => workbench?.dispose());

    it('finds nothing wrong with a connected CLI, and does not show its own connection as one', async () => {
        const diagnosis = await Diagnosis.run(workbench.page);
        expect(diagnosis.of('Qwen Code')).to.include('Qwen Code has been connected since');
        await workbench.page.waitForStatus('Qwen Code connected');
    });

    it('IDE mode was switched off in the running CLI: says so at the top, and its command helps', async () => {
        await cli.terminal.submit('/ide disable');
        await eventually(
            'Qwen Code to be disconnected',
            async () => !(await workbench.page.statusDetails()).includes('Qwen Code connected')
        );
        const verdict = (await Diagnosis.run(workbench.page)).of('Qwen Code');
        expect(verdict).to.include('Qwen Code cannot connect.').and.include('IDE mode').and.include('/ide enable');
        await cli.terminal.submit('/ide enable');
        await workbench.page.waitForStatus('Qwen Code connected');
        expect((await Diagnosis.run(workbench.page)).of('Qwen Code')).to.include('Qwen Code has been connected since');
    });

    it('the preference is off: quotes what the CLI says then', async () => {
        await workbench.page.setPreference('companion.enabled', false);
        await workbench.page.waitForStatus('Companion off');
        expect((await Diagnosis.run(workbench.page)).of('Gemini CLI'))
            .to.include('companion.enabled')
            .and.include('not supported in your current environment');
        await workbench.page.setPreference('companion.enabled', true);
        await workbench.page.waitForStatus('Companion');
    });

    // Last: the CLI's terminal goes with the page.
    it('the log says what the CLI did, without a token, even if the page was closed and opened again', async () => {
        const before = workbench.page;
        workbench.page = await workbench.openPage();
        await before.close();
        await workbench.page.execute('companion.showLog');
        const view = workbench.page.page.locator('#outputView');
        const log = async (): Promise<string> => (await view.innerText()).replace(/\s+/g, ' ');
        await eventually('the connection in the log', async () => /qwen-code \d: is connected/.test(await log()), { state: log });
        expect(await log()).to.match(/Serves this window on 127\.0\.0\.1:\d+/);
        for (const { content } of await workbench.discovery.published()) {
            expect(await log()).not.to.include(content.authToken);
        }
    });
});
