// SPDX-License-Identifier: Apache-2.0
// npm run example: a rehearsal of the release. Checks both packages, publishes them to a registry of its own, installs examples/custom-ide
// from there as a team would, and works with it in a browser.

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { nodeForClis } from '../../browser-app/launch/prepare-sample.mjs';
import { eventually } from '../../e2e/lib/support/eventually';
import { OwnedProcess } from '../../e2e/lib/support/owned-process';
import { PROJECT, RESULTS } from '../../e2e/lib/support/project-paths';
import { StatusPick } from '../../e2e/lib/support/status-pick';
import { TestBrowser } from '../../e2e/lib/support/test-browser';
import { takePort } from '../../e2e/lib/support/usual-ports';
import { Workbench } from '../../e2e/lib/support/workbench';

const EXAMPLE = path.join(PROJECT, 'examples', 'custom-ide');
const PACKAGES = ['companion-extension', 'daemon-extension'].map(folder => path.join(PROJECT, folder));
/** For this alone, so that no other command waits for their installation. */
const TOOLS = {
    dependencies: { verdaccio: '6.10.4', publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' },
    // Verdaccio asks for a tag of it that not every registry keeps.
    overrides: { 'node-fetch': '2.7.0' }
};
/** What Theia's generated code loads. They import style sheets, and export an inversify module as their default, as all of Theia's do. */
const MODULES = ['browser/companion-frontend-module', 'browser/companion-secondary-window-module', 'node/companion-backend-module'];

const OUTSIDE = 'companion.review.outsideWorkspace';

function run(folder: string, command: string, ...args: string[]): string {
    const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' };
    return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function say(line: string): void {
    process.stdout.write(`${line}\n`);
}

function check(tools: string, tarballs: string): void {
    const bin = (name: string): string => path.join(tools, 'node_modules', '.bin', name);
    for (const folder of PACKAGES) {
        const tarball = path.join(tarballs, run(folder, 'npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs));
        say(run(tarballs, bin('publint'), '--strict', tarball));
        if (folder.endsWith('companion-extension')) {
            // The other package has no entry but for Theia.
            say(run(tarballs, bin('attw'), tarball, '--format', 'ascii', '--exclude-entrypoints', ...MODULES.map(name => `lib/${name}`)));
        }
    }
}

/** A registry that knows ours, and has all else from the usual one. */
async function startRegistry(root: string, tools: string): Promise<{ url: string; registry: OwnedProcess }> {
    const port = await takePort();
    const url = `http://127.0.0.1:${port}`;
    const config = {
        storage: path.join(root, 'storage'),
        auth: { htpasswd: { file: path.join(root, 'htpasswd') } },
        uplinks: { usual: { url: run(root, 'npm', 'config', 'get', 'registry'), timeout: '120s', max_fails: 20 } },
        packages: {
            'theia-{cli-companion,qwen-daemon}': { access: '$all', publish: '$authenticated' },
            '**': { access: '$all', proxy: 'usual' }
        },
        log: { type: 'stdout', format: 'pretty', level: 'http' }
    };
    const file = path.join(root, 'config.json');
    await fs.writeFile(file, JSON.stringify(config));
    const program = path.join(tools, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
    const registry = new OwnedProcess('The registry', nodeForClis(), [program, '--config', file, '--listen', `127.0.0.1:${port}`], {
        cwd: root,
        env: process.env
    });
    await registry.waitForLog(/http address/);
    return { url, registry };
}

async function publish(url: string): Promise<void> {
    const name = 'rehearsal';
    const body = JSON.stringify({ name, password: name });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/-/user/org.couchdb.user:${name}`, { method: 'PUT', headers, body });
    const { token } = (await answer.json()) as { token: string };
    for (const folder of PACKAGES) {
        const options = ['--ignore-scripts', '--silent', `--registry=${url}`, `--${url.replace('http:', '')}/:_authToken=${token}`];
        run(folder, 'npm', 'publish', ...options);
    }
}

async function build(folder: string, url: string): Promise<void> {
    const filter = (source: string): boolean => !['lib', 'node_modules'].includes(path.basename(source));
    await fs.cp(EXAMPLE, folder, { recursive: true, filter });
    run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', `--registry=${url}`);
    run(folder, 'npm', 'run', 'build');
    // `theia build` ends well also where it failed.
    await fs.access(path.join(folder, 'lib', 'backend', 'main.js'));
}

/** Of a policy that is ours only root is bound. @param folder that nobody else may write */
async function takePolicy(folder: string): Promise<NodeJS.ProcessEnv> {
    if (process.getuid?.() !== 0) {
        say('Without its policy: only root can make one that counts.');
        return {};
    }
    const file = path.join(folder, 'policy.json');
    await fs.copyFile(path.join(EXAMPLE, 'policy.json'), file);
    await fs.chmod(file, 0o644);
    return { THEIA_CLI_COMPANION_POLICY: file };
}

/** What a user of the product meets. Throws where something is missing. */
async function use(folder: string): Promise<void> {
    const files = { 'customers/list.txt': 'secret\n', LICENSE: 'old\n' };
    const environment = await takePolicy(path.dirname(folder));
    const workbench = await Workbench.start({ application: folder, files, environment });
    const { ide, page } = workbench;
    try {
        const agent = `#!/bin/sh\nexec '${nodeForClis()}' '${path.join(folder, 'acme-companion', 'lib', 'agent', 'acme-agent.js')}'\n`;
        await fs.writeFile(path.join(ide.root, 'bin', 'acme-agent'), agent, { mode: 0o755 });
        await page.openFile('src/greeting.js');
        const terminal = await page.terminalOpenedBy(async () => {
            await (await page.app.menuBar.openMenu('Acme')).clickMenuItem('Run Acme Agent');
        });
        await terminal.waitFor('Connected to Acme Studio');
        await page.waitForStatus('Acme Agent connected');
        await terminal.waitFor('greeting.js');
        await (await StatusPick.open(page.page)).choose("Acme's Rules for Agents");
        await page.page.getByText('Agents are not told of files in a folder').first().waitFor();
        if (environment['THEIA_CLI_COMPANION_POLICY']) {
            const status = await StatusPick.open(page.page);
            await fs.mkdir(RESULTS, { recursive: true });
            await page.page.screenshot({ path: path.join(RESULTS, 'example-policy.png') });
            const set = (await status.labels()).filter(label => label.startsWith('Set by your administrator')).join(' ');
            const missing = [OUTSIDE, 'companion.context.exclude', 'Uploads'].filter(name => !set.includes(name));
            if (missing.length > 0) {
                throw new Error(`The list does not say that the platform has set ${missing.join(', ')}`);
            }
            await status.close();
        }
        await page.openFile('customers/list.txt');
        await terminal.waitFor('You look at no file');
        await terminal.submit('write ../outside.txt new');
        await terminal.waitFor(`${OUTSIDE} refuses such files`);
        await terminal.submit('write LICENSE new');
        const diff = await page.waitForDiff(ide.file('LICENSE'));
        await diff.waitForNotice('The legal team must agree');
        await fs.mkdir(RESULTS, { recursive: true });
        await page.page.screenshot({ path: path.join(RESULTS, 'example.png') });
        await diff.accept();
        await eventually('the file to be written', async () => (await ide.read('LICENSE')) === 'new\n');
        await eventually('the log to tell it', () => ide.log.includes('acme-agent: accepted'), { state: () => ide.log });
        if ((await terminal.text()).includes('customers')) {
            throw new Error("The CLI was told of the customers' file");
        }
    } catch (error) {
        await workbench.report('example');
        throw error;
    } finally {
        await workbench.dispose();
    }
}

async function main(): Promise<void> {
    const root = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-example-')));
    const [tools, tarballs, folder] = ['tools', 'tarballs', 'custom-ide'].map(name => path.join(root, name));
    let registry: OwnedProcess | undefined;
    try {
        await fs.mkdir(tarballs);
        await fs.mkdir(tools);
        await fs.writeFile(path.join(tools, 'package.json'), JSON.stringify(TOOLS));
        run(tools, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
        say('Checking the packages …');
        check(tools, tarballs);
        say('Publishing them to a registry of this run …');
        const started = await startRegistry(root, tools);
        registry = started.registry;
        await publish(started.url);
        say('Installing and building the example …');
        await build(folder, started.url);
        say('Working with it …');
        await use(folder);
        say('The example works as released.');
    } finally {
        await registry?.end('SIGTERM');
        await TestBrowser.close();
        await fs.rm(root, { recursive: true, force: true });
    }
}

main().then(
    () => process.exit(0),
    (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
    }
);
