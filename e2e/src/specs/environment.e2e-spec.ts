// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFile, execFileSync } from 'child_process';
import { existsSync, promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { Cli } from '../support/cli';
import { QWEN_CODE } from '../support/cli-words';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

/** As if the backend had been started in a terminal of another IDE. */
const OF_ANOTHER_IDE = {
    QWEN_CODE_IDE_SERVER_PORT: '1',
    QWEN_CODE_IDE_WORKSPACE_PATH: '/elsewhere',
    GEMINI_CLI_IDE_SERVER_PORT: '1',
    GEMINI_CLI_IDE_WORKSPACE_PATH: '/elsewhere',
    GEMINI_CLI_IDE_AUTH_TOKEN: 'of another IDE',
    GEMINI_CLI_IDE_PID: '1'
};

describe('The environment of a terminal', () => {
    let workbench: Workbench;
    let files: DiscoveryFile[];
    /** That of a new terminal. */
    let environment: Record<string, string>;

    before(async () => {
        workbench = await Workbench.start({ environment: OF_ANOTHER_IDE });
        files = await workbench.discovery.published();
        environment = await environmentOf(await workbench.page.openTerminal());
    });
    after(() => workbench?.dispose());

    it("A5: names the window's server and workspace in the terminal that opens with the page, and in a new one", async () => {
        const [first] = await workbench.page.terminals();
        expectOurs(await environmentOf(first));
        expectOurs(environment);
    });

    it('A5: is the same after a reload of the page', async () => {
        await workbench.page.reload();
        expectOurs(await environmentOf(await workbench.page.openTerminal()));
        expect((await workbench.discovery.published()).map(({ file }) => file)).to.have.members(files.map(({ file }) => file));
    });

    it("D5: discovery files name ancestors of the terminal's shell", () => {
        const { PARENT, GEMINI_CLI_IDE_PID } = environment;
        expect(Number(PARENT), "the shell's parent").to.equal(workbench.ide.pid);
        const named = files.flatMap(({ pid }) => pid ?? []);
        expect(named).to.include(workbench.ide.pid);
        // This process started the backend.
        expect([workbench.ide.pid, process.pid]).to.include.members(named);
        expect(named).to.include(Number(GEMINI_CLI_IDE_PID));
    });

    it('holds no token, neither ours nor one of another IDE', () => {
        const values = Object.values(environment).join('\n');
        for (const { content } of files) {
            expect(values).not.to.contain(content.authToken);
        }
        expect(values).not.to.contain(OF_ANOTHER_IDE.GEMINI_CLI_IDE_AUTH_TOKEN);
    });

    it('the CLIs are in the menu; for a missing one it says what to install', async function () {
        const { ide, page } = workbench;
        const folders = (ide.env.PATH ?? '').split(path.delimiter);
        await fs.rm(path.join(folders[0], 'gemini'));
        if (folders.some(folder => existsSync(path.join(folder, 'gemini')))) {
            this.skip();
        }
        const before = await page.terminals();
        // Done when the message is answered.
        void page.execute('companion.run.gemini-cli').catch(() => undefined);
        await page.waitForMessage('npm install -g @google/gemini-cli');
        expect((await page.terminals()).length, 'terminals').to.equal(before.length);
        const install = await page.terminalOpenedBy(() => page.answerMessage('Gemini CLI was not found', 'Install in Terminal'));
        await install.waitForScreen('npm install -g @google/gemini-cli');
        expect(await install.screen(), 'Enter is the user’s').to.match(/gemini-cli\s*$/);
        expect(await install.hasKeyboard()).to.equal(true);
        const run = async (): Promise<void> => {
            void page.execute('companion.run.gemini-cli').catch(() => undefined);
            await page.answerMessage('Gemini CLI was not found', 'Start Anyway');
        };
        const first = await page.terminalOpenedBy(run);
        await first.waitFor(/gemini: .*not found/);
        const count = (await page.terminals()).length;
        await run();
        await first.waitFor(/gemini: .*not found[^]*gemini: .*not found/, 'the idle terminal to be used again');
        expect(await page.terminals()).to.have.length(count);
        const menu = await page.app.menuBar.openMenu('Terminal');
        expect(await menu.visibleMenuItems()).to.include.members(['Run Qwen Code', 'Run Gemini CLI']);
        await menu.close();
    });

    function expectOurs(environment: Record<string, string>): void {
        const [{ port }] = files;
        expect(files.every(file => file.port === port && file.content.port === port)).to.equal(true);
        expect(environment).to.include({
            QWEN_CODE_IDE_SERVER_PORT: String(port),
            QWEN_CODE_IDE_WORKSPACE_PATH: workbench.ide.workspace,
            GEMINI_CLI_IDE_SERVER_PORT: String(port),
            GEMINI_CLI_IDE_WORKSPACE_PATH: workbench.ide.workspace
        });
    }

    /** What a program in the terminal sees, and the shell's parent as `PARENT`. */
    async function environmentOf(terminal: Terminal): Promise<Record<string, string>> {
        const file = path.join(workbench.ide.root, `environment-${Math.random()}`);
        await terminal.submit(`PARENT=$PPID env -0 > '${file}.part' && mv '${file}.part' '${file}'`);
        const text = await eventually('the environment', () => fs.readFile(file, 'utf8'), { state: () => terminal.text() });
        const entries = text.split('\0').filter(entry => entry !== '');
        return Object.fromEntries(entries.map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
    }
});

/** Both at once: with umask 002, as users of Ubuntu have it. */
describe('Qwen Code of a user who does not know IDE mode', () => {
    let workbench: Workbench;
    let qwenHome: string;

    before(async () => {
        // Not by a variable: `~/.qwen`, as on a machine that nobody prepared.
        const environment = { QWEN_HOME: undefined };
        workbench = await Workbench.start({ model: true, umask: hasOwnGroup() ? 0o002 : undefined, environment, prepare: makeQwenHome });
        qwenHome = path.join(workbench.ide.home, '.qwen');
    });
    after(() => workbench?.dispose());

    it('connects by itself, and asks with a diff before it edits', async () => {
        const cli = await Cli.start(QWEN_CODE, workbench);
        const before = await cli.play(cli.writeFile('asked.txt', 'proposed\n'));
        const diff = await workbench.page.waitForDiff(workbench.ide.file('asked.txt'));
        expect(await workbench.ide.exists('asked.txt'), 'written before the answer').to.equal(false);
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await workbench.ide.read('asked.txt')).to.equal('proposed\n');
    });

    it('does so although the group can write to its own folder, which stays as it is', async function () {
        if (!hasOwnGroup()) {
            this.skip();
        }
        expect((await fs.stat(qwenHome)).mode & 0o777).to.equal(0o775);
    });

    /** Has Qwen Code make its folder, and gives it the sample's settings back, without what the companion's system defaults have to bring. */
    async function makeQwenHome({ home, workspace, env }: IdeFixture): Promise<void> {
        const folder = path.join(home, '.qwen');
        const file = path.join(folder, 'settings.json');
        const { ide, tools, ...others } = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, Record<string, unknown>>;
        expect([ide.enabled, tools.approvalMode]).to.deep.equal([true, 'default']);
        delete tools.approvalMode;
        await fs.rm(folder, { recursive: true });
        const umask = hasOwnGroup() ? 'umask 002; ' : '';
        await promisify(execFile)('/bin/sh', ['-c', `${umask}exec qwen -p Hello </dev/null`], { cwd: workspace, env });
        await fs.writeFile(file, JSON.stringify({ ...others, tools }));
        if (hasOwnGroup()) {
            expect((await fs.stat(folder)).mode & 0o777, 'as Qwen Code made it').to.equal(0o775);
        }
    }

    /** Whether the user of this machine has a group that nobody else is in. */
    function hasOwnGroup(): boolean {
        const gid = process.getgid?.();
        const [, , , members] = execFileSync('getent', ['group', String(gid)], { encoding: 'utf8' })
            .trim()
            .split(':');
        const others = execFileSync('getent', ['passwd'], { encoding: 'utf8' }).split('\n');
        return members === '' && others.filter(line => line.split(':')[3] === String(gid)).length === 1;
    }
});
