// SPDX-License-Identifier: Apache-2.0
// npm run matrix -- [--write] [RELEASE …]: the main job in minimal applications of other releases of Theia, with both packages.

import { execFileSync, spawnSync } from 'child_process';
import { promises as fs, readFileSync } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { GEMINI_CLI, QWEN_CODE } from '../../e2e/lib/support/cli-words';
import { MAIN_JOB, markdownTable, tryMainJob } from '../../e2e/lib/support/main-job';
import { PROJECT } from '../../e2e/lib/support/project-paths';
import { ENABLED, QwenChat, say, setPreferences, SHORT_NOTIFICATIONS } from '../../e2e/lib/support/qwen-chat';
import { TestBrowser } from '../../e2e/lib/support/test-browser';
import { Workbench } from '../../e2e/lib/support/workbench';

const DOCUMENT = path.join(PROJECT, 'docs', 'embedding.md');
const BEGIN = '<!-- matrix -->';
const END = '<!-- /matrix -->';

/** What every application needs in which people edit files and open terminals, and the chat. The peers of both packages are among them. */
const PACKAGES = [
    ...['ai-chat', 'ai-chat-ui', 'ai-core', 'ai-core-ui', 'core', 'editor', 'filesystem', 'markers', 'messages', 'monaco', 'navigator'],
    ...['output', 'preferences', 'process', 'terminal', 'userstorage', 'variable-resolver', 'workspace']
];
const COMPANION = 'theia-cli-companion';
const DAEMON = 'theia-qwen-daemon';
const TARBALLS = { [COMPANION]: 'companion-extension', [DAEMON]: 'daemon-extension' };

interface Release {
    readonly version: string;
    readonly react: string;
    /** Older than what `theia-qwen-daemon` takes: it needs `ChatBannerProvider` of Theia 1.74. */
    readonly withoutChat?: true;
}

const RELEASES: Readonly<Record<string, Release>> = {
    '1.72': { version: '1.72.0', react: '18.3.1', withoutChat: true },
    '1.73': { version: '1.73.1', react: '18.3.1', withoutChat: true },
    '1.74': { version: '1.74.1', react: '18.3.1' },
    '1.74-react19': { version: '1.74.1', react: '19.2.0' },
    '1.75': { version: '1.75.0', react: '19.2.0' },
    '1.76-next': { version: '1.76.0-next.10', react: '19.2.0' }
};
const CLIS = [QWEN_CODE, GEMINI_CLI];
const USAGE = `Usage: npm run matrix -- [--write] [RELEASE …], of ${Object.keys(RELEASES).join(', ')}\n`;

interface Manifest {
    readonly version: string;
    readonly dependencies?: Record<string, string>;
}

/** What the registry has of a package up to a version, the newest last. */
function published(name: string, upTo: string): Manifest[] {
    const args = ['view', `@theia/${name}@>=1.72.0 <=${upTo}`, 'version', 'dependencies', '--json'];
    const answer = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1e8 })) as Manifest | Manifest[];
    const numbers = ({ version }: Manifest): number[] => version.split(/\D+/).map(Number);
    const order = (a: number[], b: number[]): number => {
        const at = a.findIndex((value, index) => value !== b[index]);
        return at < 0 ? 0 : a[at] - b[at];
    };
    return [answer].flat().sort((a, b) => order(numbers(a), numbers(b)));
}

/** The version of each package of Theia in the application: the release's own, or the newest before it where the registry has no such. */
function versionsOf(release: string): Map<string, string> {
    const versions = new Map<string, string>();
    const open = [...PACKAGES, 'cli'];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
        if (!versions.has(name)) {
            const { version, dependencies = {} } = published(name, release).at(-1) ?? { version: release };
            versions.set(name, version);
            // Not those that have versions of their own, such as @theia/monaco-editor-core.
            const own = Object.entries(dependencies).filter(([other, wanted]) => other.startsWith('@theia/') && wanted.startsWith(version));
            open.push(...own.map(([other]) => other.slice('@theia/'.length)));
        }
    }
    return versions;
}

/** What an outsider would write. @param substitutes versions of Theia's packages, where the registry lacks some of the release */
function manifest({ version, react, withoutChat }: Release, tarballs: Record<string, string>, substitutes?: Map<string, string>): object {
    const theia = (names: Iterable<string>): object =>
        Object.fromEntries([...names].map(name => [`@theia/${name}`, substitutes?.get(name) ?? version]));
    const root = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { overrides: Record<string, unknown> };
    return {
        name: 'minimal',
        version: '1.0.0',
        private: true,
        theia: { target: 'browser' },
        scripts: { build: 'theia build --mode production' },
        dependencies: { ...theia(PACKAGES), react, 'react-dom': react, ...tarballs, [DAEMON]: withoutChat ? undefined : tarballs[DAEMON] },
        devDependencies: theia(['cli']),
        // A substitute asks for the others in its own version. The last two are Theia's, for machines without libsecret and without a
        // compiler that its node-pty accepts.
        overrides: {
            ...(substitutes ? theia(substitutes.keys()) : {}),
            keytar: root.overrides['keytar'],
            'node-pty': root.overrides['node-pty']
        }
    };
}

/** Installs and builds the application. Throws where that fails. @returns what was substituted, in words */
async function build(release: Release, folder: string, tarballs: Record<string, string>): Promise<string> {
    await fs.mkdir(folder);
    const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' };
    const npm = (...args: string[]): { status: number | null; stderr: string } =>
        spawnSync('npm', [...args, '--loglevel=error'], { cwd: folder, env, encoding: 'utf8', maxBuffer: 1e8 });
    const install = async (substitutes?: Map<string, string>): Promise<{ status: number | null; stderr: string }> => {
        await fs.writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest(release, tarballs, substitutes), undefined, 2));
        return npm('install', '--no-audit', '--no-fund');
    };
    let said = 'none';
    let result = await install();
    // The last is how npm puts it where the package is a peer, too.
    if (/E404|ETARGET|Found: @theia\/\S+@undefined/.test(result.stderr)) {
        const versions = versionsOf(release.version);
        const others = [...new Set(versions.values())].filter(version => version !== release.version);
        const of = (version: string): string =>
            [...versions]
                .flatMap(([name, its]) => (its === version ? `\`${name}\`` : []))
                .sort()
                .join(', ');
        said = others.map(version => `${of(version)} of ${version}`).join('; ');
        result = await install(versions);
    }
    if (result.status === 0) {
        result = npm('run', 'build');
    }
    // `theia build` ends well also where it failed.
    await fs.access(path.join(folder, 'lib', 'backend', 'main.js')).catch(() => {
        throw new Error(`${release.version}: ${result.stderr}`);
    });
    return said;
}

/** In the chat, over a daemon that the IDE starts: an answer, and an edit that is allowed. */
async function tryChat(workbench: Workbench): Promise<string> {
    const chat = new QwenChat(workbench.page);
    try {
        await setPreferences(workbench.ide, { ...SHORT_NOTIFICATIONS, [ENABLED]: true });
        await chat.show();
        await chat.view.locator('.qwen-daemon-welcome').waitFor();
        await chat.send(say({ count: 3 }));
        await chat.waitForAnswer('1 2 3');
        await chat.waitUntilDone();
        const content = 'allowed\n';
        await chat.ask(
            await workbench.model.script({ name: 'write_file', args: { file_path: workbench.ide.file('allowed.txt'), content } })
        );
        await chat.choose('Allow');
        await chat.waitUntilDone();
        if ((await workbench.ide.read('allowed.txt')) !== content) {
            throw new Error('What was allowed was not written');
        }
        return 'yes';
    } catch (error) {
        process.stderr.write(`The chat: ${(error as Error).message}\n`);
        await workbench.report('chat');
        return 'no';
    }
}

/** A row: whether the main job went well with each CLI, or which part of it did not, and the chat. */
async function tryRelease({ version, react, withoutChat }: Release, folder: string): Promise<string[]> {
    const row = [version, react];
    let chat = 'needs 1.74';
    for (const words of CLIS) {
        const workbench = await Workbench.start({ model: true, application: folder });
        try {
            const cells = await tryMainJob(workbench, words, `${version} ${words.command}`);
            row.push(cells.includes('no') ? `no: ${MAIN_JOB[cells.indexOf('no')]}` : 'yes');
            if (words === QWEN_CODE && !withoutChat) {
                chat = await tryChat(workbench);
            }
        } finally {
            await workbench.dispose();
        }
    }
    return [...row, chat];
}

async function main(): Promise<number> {
    const args = process.argv.slice(2);
    const named = args.filter(arg => arg !== '--write');
    if (named.some(name => !RELEASES[name])) {
        process.stderr.write(USAGE);
        return 2;
    }
    const chosen = named.length > 0 ? named : Object.keys(RELEASES);
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'companion-matrix-'));
    const rows: string[][] = [];
    const notes: string[] = [];
    try {
        const pack = (folder: string): string => {
            const options = ['pack', '--ignore-scripts', '--silent', '--pack-destination', root];
            return `file:${path.join(root, execFileSync('npm', options, { cwd: path.join(PROJECT, folder), encoding: 'utf8' }).trim())}`;
        };
        const tarballs = Object.fromEntries(Object.entries(TARBALLS).map(([name, folder]) => [name, pack(folder)]));
        for (const name of chosen) {
            const folder = path.join(root, name);
            const substituted = await build(RELEASES[name], folder, tarballs);
            notes.push(`${name}: ${substituted}`);
            process.stdout.write(`${name}, substitutes: ${substituted}\n`);
            rows.push(await tryRelease(RELEASES[name], folder));
            await fs.rm(folder, { recursive: true, force: true });
        }
    } finally {
        await TestBrowser.close();
        await fs.rm(root, { recursive: true, force: true });
    }
    const table = markdownTable(['Theia', 'React', ...CLIS.map(({ name }) => name), 'chat'], rows);
    const substitutes = notes.map(note => `- ${note}`).join('\n');
    process.stdout.write(`\n${table}\n\n${substitutes}\n`);
    if (args.includes('--write')) {
        const [before, rest] = (await fs.readFile(DOCUMENT, 'utf8')).split(BEGIN);
        const [, after] = rest.split(END);
        const command = ['npm run matrix', ...(named.length > 0 ? ['--', ...named] : [])].join(' ');
        const words = `Made by \`${command}\` at commit ${commit}:`;
        const below =
            'In all, `keytar` and `node-pty` are those of this project. Where our registry lacked a package of a release, we took that of another one.';
        await fs.writeFile(DOCUMENT, `${before}${BEGIN}\n\n${words}\n\n${table}\n\n${below}\n\n${END}${after}`);
        execFileSync('npx', ['prettier', '--write', DOCUMENT], { cwd: PROJECT, stdio: 'ignore' });
    }
    return rows.flat().some(cell => cell.startsWith('no')) ? 1 : 0;
}

void main().then(
    code => process.exit(code),
    (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
    }
);
