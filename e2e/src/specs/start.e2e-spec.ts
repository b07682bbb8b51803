// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import { AddressInfo, createServer, Server } from 'net';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { OwnedProcess } from '../support/owned-process';
import { descendantsOf, isAlive } from '../support/process-tree';
import { StartCommand } from '../support/start-command';
import { TestBrowser } from '../support/test-browser';

const URL_LINE = /The IDE is open on: (http:\/\/localhost:(\d+))/;

/** Theia's own terminals are login shells, for which the system's settings make a PATH. */
const USERS_SETTINGS = {
    'security.workspace.trust.enabled': false,
    'terminal.integrated.profiles.linux': { plain: { path: '/bin/bash', args: [] } },
    'terminal.integrated.defaultProfile.linux': 'plain'
};

describe('npm start', () => {
    let command: StartCommand;
    let taken: Server;
    let port: number;

    beforeEach(async () => {
        command = await StartCommand.prepare();
        taken = createServer();
        await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
        ({ port } = taken.address() as AddressInfo);
    });
    afterEach(async () => {
        await command.dispose();
        taken.close();
    });

    it('opens the sample on the next free port; killed, it leaves no process, and the next one removes its sample; Ctrl+C leaves nothing behind', async () => {
        const npm = command.run('--port', String(port));
        const [, url, actual] = await npm.waitForLog(URL_LINE);
        expect(npm.log).to.contain(`Port ${port} is taken`);
        expect(Number(actual)).to.be.greaterThan(port);
        expect((await fetch(url)).status).to.equal(200);
        const [sample, ...others] = await samples();
        expect(others).to.deep.equal([]);
        const started = descendantsOf(npm.pid);
        expect(started, 'the script, the backend and the scripted model').to.have.length.of.at.least(3);
        await npm.stop('SIGKILL');
        await eventually('all that it started to end', () => (started.some(isAlive) ? undefined : true));
        const next = command.run('--port', String(port));
        const [, nextUrl] = await next.waitForLog(URL_LINE);
        expect(await samples())
            .to.have.length(1)
            .and.not.to.include(sample);
        await expectNothingLeftAfterCtrlC(next);
        expect(await samples()).to.deep.equal([]);
        expect(await fetch(nextUrl).catch((error: Error) => error)).to.be.instanceOf(Error);
    });

    it("opens a project of the user's own with their CLIs and their PATH, and with nothing of npm's", async () => {
        const project = path.join(command.root, 'my project');
        await fs.mkdir(project);
        await fs.writeFile(path.join(command.bin, 'qwen'), '#!/bin/sh\necho "my own qwen"\n', { mode: 0o755 });
        await fs.mkdir(path.join(command.home, '.theia'));
        await fs.writeFile(path.join(command.home, '.theia', 'settings.json'), JSON.stringify(USERS_SETTINGS));
        const npm = command.run('--port', String(port), project);
        const [, url] = await npm.waitForLog(URL_LINE);
        const context = await TestBrowser.newContext();
        try {
            const ide = await IdePage.open(context, url, project);
            const view = ide.page.locator('#companion-sample-getting-started');
            await view.getByRole('button', { name: 'Run Qwen Code' }).waitFor();
            await view.getByRole('button', { name: 'Install Gemini CLI in Terminal' }).waitFor();
            expect(await view.innerText(), 'of the sample').not.to.match(/scripted model|greeting\.js/);
            expect(await ide.page.locator('#explorer-view-container').isVisible(), 'the explorer is open').to.equal(true);
            await view.getByRole('button', { name: 'Open File' }).click();
            await ide.page.locator('.quick-input-widget').waitFor();
            await ide.press('Escape');
            const terminal = await ide.openTerminal();
            await terminal.submit(`qwen; env -0 > '${command.root}/part' && mv '${command.root}/part' '${command.root}/environment'`);
            await terminal.waitFor('my own qwen');
            const text = await eventually('the environment', () => fs.readFile(path.join(command.root, 'environment'), 'utf8'));
            const entries = text.split('\0').filter(entry => entry !== '');
            for (const [name, value] of Object.entries(command.env)) {
                expect(entries).to.include(`${name}=${value}`);
            }
            expect(entries.filter(entry => /^(npm_\w+|INIT_CWD|NODE|COLOR|EDITOR)=|scripted-model/i.test(entry))).to.deep.equal([]);
        } finally {
            await context.close();
        }
        await expectNothingLeftAfterCtrlC(npm);
    });

    async function expectNothingLeftAfterCtrlC(npm: OwnedProcess): Promise<void> {
        const started = descendantsOf(npm.pid);
        await npm.stop('SIGINT');
        expect(started.filter(isAlive)).to.deep.equal([]);
    }

    async function samples(): Promise<string[]> {
        return (await fs.readdir(command.tmpdir)).filter(name => name.startsWith('companion-sample-'));
    }
});
