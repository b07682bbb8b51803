// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Diagnosis } from '../support/diagnosis';
import { eventually } from '../support/eventually';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

describe('A backend that was restarted', () => {
    let workbench: Workbench;
    let wasReloaded: () => Promise<boolean>;
    /** A process that outlives the backend's shells. */
    let outlived: number;
    let oldPort: number;

    before(async () => {
        workbench = await Workbench.start({ proxy: true, files: { 'unsaved.txt': '' } });
        await workbench.prepare('a restart', async () => {
            const terminal = await workbench.page.openTerminal();
            oldPort = (await workbench.discovery.published())[0].port;
            // What a CLI in tmux is to the system: with the old terminal's environment, and no child of it.
            const pid = await written(terminal, file => `setsid -f bash -c 'echo $$ > "${file}"; exec -a qwen sleep 300'`);
            outlived = Number(pid);
            wasReloaded = await workbench.page.mark();
            await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(true));
            await workbench.ide.end('SIGKILL');
            await workbench.ide.restart();
            workbench.proxy.restore(workbench.ide.url);
        });
    });
    after(async () => {
        if (outlived > 1) {
            process.kill(outlived, 'SIGKILL');
        }
        await workbench?.dispose();
    });

    it('is said in the status, and the page is not reloaded by itself', async () => {
        await workbench.page.waitForStatus('Reload needed');
        expect(await workbench.page.statusDetails())
            .to.include('restarted')
            .and.include('reload this page');
        const diagnosis = await Diagnosis.begin(workbench.page);
        await diagnosis.waitFor('then reload this page');
        await diagnosis.button('Reload This Page').waitFor();
        expect(await wasReloaded()).to.equal(false);
    });

    it('serves the page and its terminals at once after the reload that the status offers', async () => {
        const { page } = workbench.page;
        await page.locator('#status-bar-companion-status').click();
        await page.getByRole('option', { name: 'Reload This Page' }).click();
        await eventually('the page to be loaded again', wasReloaded);
        await workbench.page.app.waitForShellAndInitialized();
        const [{ port }] = await workbench.discovery.published();
        expect(port).not.to.equal(oldPort);
        const terminal = await workbench.page.openTerminal();
        const printed = await written(terminal, file => `echo $GEMINI_CLI_IDE_SERVER_PORT $QWEN_CODE_IDE_SERVER_PORT > '${file}'`);
        expect(printed).to.equal(`${port} ${port}`);
    });

    it('tells the user of a CLI that outlived it what to type there, as long as it runs', async () => {
        const type = 'Type /ide enable';
        await eventually('the hint', async () => (await workbench.page.statusDetails()).includes(type), {
            state: () => workbench.page.statusDetails()
        });
        expect(await workbench.page.statusDetails()).to.include('Qwen Code is still running');
        const diagnosis = await Diagnosis.run(workbench.page);
        expect(await diagnosis.of('Qwen Code'))
            .to.include(`Qwen Code still runs in ${workbench.ide.workspace}`)
            .and.include('/ide enable');
        process.kill(outlived, 'SIGKILL');
        outlived = 0;
        await workbench.page.reload();
        await workbench.page.waitForStatus('Companion');
        await eventually('the hint to go', async () => !(await workbench.page.statusDetails()).includes(type));
    });

    /** Runs a command that writes a file, and answers what is in it. */
    async function written(terminal: Terminal, command: (file: string) => string): Promise<string> {
        const file = path.join(workbench.ide.root, `written-${Math.random()}`);
        await terminal.submit(command(file));
        const text = await eventually('what the command writes', async () => (await fs.readFile(file, 'utf8')) || undefined, {
            state: () => terminal.text()
        });
        return text.trim();
    }
});
