// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFile } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { promisify } from 'util';
import { eventually } from '../support/eventually';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const SHARE = 'companion.context.share';
const POLICY = {
    preferences: { 'companion.review.outsideWorkspace': 'refuse', [SHARE]: false, 'companion.review.open': 'background' },
    clis: ['qwen-code', 'claude-code'],
    chat: false
};

/** An IDE whose platform has this policy. */
function start(content: string, mode = 0o644): Promise<Workbench> {
    const environment: NodeJS.ProcessEnv = {};
    return Workbench.start({
        environment,
        prepare: async ({ root }) => {
            const file = path.join(root, 'policy.json');
            environment['THEIA_CLI_COMPANION_POLICY'] = file;
            await fs.writeFile(file, content);
            await fs.chmod(file, mode);
        }
    });
}

async function picture({ page: { page } }: Workbench, name: string): Promise<void> {
    const folder = process.env['POLICY_PICTURES'];
    if (folder) {
        await page.screenshot({ path: path.join(folder, `${name}.png`) });
    }
}

/** Ids of the commands that start a CLI. */
describe('A platform with a policy', () => {
    let workbench: Workbench;

    before(async function () {
        if (process.getuid?.() !== 0) {
            // To anybody else a policy has to belong to another user, whom only root can make its owner.
            this.skip();
        }
        workbench = await start(JSON.stringify(POLICY));
    });
    after(() => workbench?.dispose());

    it('S26: says in the status list what is set by the administrator', async () => {
        const status = await StatusPick.open(workbench.page.page);
        const labels = await status.labels();
        await picture(workbench, 'status');
        const set = labels.filter(label => label.includes('Set by your administrator')).join('\n');
        for (const name of [...Object.keys(POLICY.preferences), 'Gemini CLI', 'OpenCode', 'Qwen in the chat']) {
            expect(set).to.include(name);
        }
        expect(labels.join('\n'), 'the user has no switch').not.to.include('Share Open Files and Selection');
        await status.close();
    });

    it('S26: has no command that starts a CLI which is switched off', async () => {
        const commands = await workbench.page.runCommands();
        expect(commands).to.include.members(['companion.run.qwen-code', 'companion.run.claude-code']);
        expect(commands).not.to.include.members(['companion.run.gemini-cli']);
        const files = await workbench.discovery.all();
        expect(files.map(({ file }) => file).filter(file => file.includes('gemini'))).to.deep.equal([]);
    });

    it('S26: counts before the user’s settings, and the settings view says so', async () => {
        const { page, ide } = workbench;
        await ide.changeSettings({ [SHARE]: true, 'companion.review.open': 'never' });
        await page.openFile('README.md');
        await page.waitForStatus('sharing off');
        await page.execute('preferences:open');
        await page.page.locator('.settings-search-input').first().fill('companion.');
        const said = page.page.getByText('Set by your administrator: what you set here does not count.').first();
        await said.scrollIntoViewIfNeeded();
        await picture(workbench, 'settings');
    });
});

/** As in most containers: the policy is root's, the backend and its terminals are not. */
describe('A platform with a policy of root for another user', () => {
    const user = 12345;
    let folder = path.join(os.tmpdir(), 'policy-of-nobody');
    let workbench: Workbench | undefined;

    before(async function () {
        if (process.getuid?.() !== 0) {
            this.skip();
        }
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'policy-'));
        const file = path.join(folder, 'policy.json');
        await fs.chmod(folder, 0o755);
        await fs.writeFile(file, JSON.stringify(POLICY), { mode: 0o644 });
        workbench = await Workbench.start({
            environment: { THEIA_CLI_COMPANION_POLICY: file },
            within: ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
            prepare: async ({ root }) => void (await promisify(execFile)('chown', ['-R', `${user}:${user}`, root]))
        });
    });
    after(async () => {
        await workbench?.dispose();
        await fs.rm(folder, { recursive: true, force: true });
    });

    it('S25: counts', async () => {
        const { page } = workbench!;
        await page.waitForStatus('sharing off');
        const status = await StatusPick.open(page.page);
        expect((await status.labels()).filter(label => label.startsWith('Set by your administrator'))).to.have.length(8);
        await status.close();
    });
});

describe('A platform with a policy that others can write, or that is broken', () => {
    let workbench: Workbench | undefined;

    afterEach(async () => {
        await workbench?.dispose();
        workbench = undefined;
    });

    for (const [what, content, mode, why] of [
        ['is broken', '{"clis": [', 0o644, 'is no JSON object'],
        ['can be written', JSON.stringify(POLICY), 0o666, 'can be changed by users of this IDE']
    ] as const) {
        it(`S25: serves no CLI, says why, and runs, if it ${what}`, async function () {
            if (content !== JSON.stringify(POLICY) && process.getuid?.() !== 0) {
                this.skip();
            }
            workbench = await start(content, mode);
            const { page } = workbench;
            const problem = await eventually('the problem', async () => /No CLI is served.*/.exec(await page.statusDetails())?.[0]);
            await picture(workbench, 'refused');
            expect(problem).to.include(why);
            expect(await workbench.discovery.names()).to.deep.equal([]);
            expect(await page.runCommands()).not.to.include.members(['companion.run.qwen-code']);
            await page.openFile('README.md');
        });
    }
});
