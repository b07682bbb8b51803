// SPDX-License-Identifier: Apache-2.0
// npm run matrix -- [--write] 1.72 1.75 …: the main job in minimal applications with other releases of Theia.

import { execFileSync } from 'child_process';
import { promises as fs, readFileSync } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { GEMINI_CLI, QWEN_CODE } from '../../e2e/lib/support/cli-words';
import { MAIN_JOB, markdownTable, tryMainJob } from '../../e2e/lib/support/main-job';
import { PROJECT } from '../../e2e/lib/support/project-paths';
import { TestBrowser } from '../../e2e/lib/support/test-browser';
import { Workbench } from '../../e2e/lib/support/workbench';

const DOCUMENT = path.join(PROJECT, 'docs', 'embedding.md');
const BEGIN = '<!-- matrix -->';
const END = '<!-- /matrix -->';

/** What every application needs in which people edit files and open terminals. The companion's peers are among them. */
const PACKAGES = [
    ...['core', 'editor', 'filesystem', 'markers', 'messages', 'monaco', 'navigator', 'output', 'preferences', 'process', 'terminal'],
    ...['userstorage', 'variable-resolver', 'workspace']
];

interface Release {
    readonly version: string;
    readonly react: string;
    /** Packages of Theia that a registry was seen not to have in this version, by the version that is taken instead. */
    readonly gaps: Readonly<Record<string, readonly string[]>>;
}

const TOOLS = ['application-manager', 'application-package', 'bundle-plugin', 'localization-manager', 'ovsx-client', 'request'];
/** The newest patch of each minor release that is complete but for the gaps. */
const RELEASES: Readonly<Record<string, Release>> = {
    '1.72': { version: '1.72.3', react: '18.3.1', gaps: { '1.72.0': ['cli', 'ffmpeg', ...TOOLS] } },
    '1.73': { version: '1.73.1', react: '18.3.1', gaps: { '1.72.0': TOOLS, '1.73.0': ['cli', 'ffmpeg'] } },
    '1.74': { version: '1.74.1', react: '18.3.1', gaps: {} },
    '1.75': {
        version: '1.75.0',
        react: '19.2.0',
        gaps: { '1.74.1': ['messages', 'outline-view', 'output', 'process', 'userstorage', 'variable-resolver'] }
    }
};
const USAGE = `Usage: npm run matrix -- [--write] RELEASE …, of ${Object.keys(RELEASES).join(', ')}\n`;

/** What an outsider would write, and the overrides. */
function manifest({ version, react, gaps }: Release, tarball: string): object {
    const filled = Object.entries(gaps).flatMap(([other, names]) => names.map(name => [name, other]));
    const versions = new Map([...PACKAGES, 'cli'].map(name => [name, version]).concat(filled) as Array<[string, string]>);
    const theia = (names: Iterable<string>): object => Object.fromEntries([...names].map(name => [`@theia/${name}`, versions.get(name)]));
    const root = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { overrides: Record<string, unknown> };
    return {
        name: 'minimal',
        version: '1.0.0',
        private: true,
        theia: { target: 'browser' },
        scripts: { build: 'theia build --mode production' },
        dependencies: { ...theia(PACKAGES), react, 'react-dom': react, 'theia-cli-companion': `file:${tarball}` },
        devDependencies: theia(['cli']),
        // A package that fills a gap asks for the others in its own version. The last two are Theia's, for machines without libsecret
        // and without a compiler that its node-pty accepts.
        overrides: { ...theia(versions.keys()), keytar: root.overrides['keytar'], 'node-pty': root.overrides['node-pty'] }
    };
}

/** Installs and builds the application. Throws where that fails. */
async function build(release: Release, folder: string, tarball: string): Promise<void> {
    await fs.mkdir(folder);
    await fs.writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest(release, tarball), undefined, 2));
    const npm = (...args: string[]): void => {
        const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' };
        execFileSync('npm', [...args, '--loglevel=error'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    };
    npm('install', '--no-audit', '--no-fund');
    npm('run', 'build');
    // `theia build` ends well also where it failed.
    await fs.access(path.join(folder, 'lib', 'backend', 'main.js'));
}

async function tryRelease(release: Release, folder: string, tarball: string): Promise<string[][]> {
    await build(release, folder, tarball);
    const rows: string[][] = [];
    for (const words of [QWEN_CODE, GEMINI_CLI]) {
        const workbench = await Workbench.start({ model: true, application: folder });
        try {
            const cells = await tryMainJob(workbench, words, `${release.version} ${words.command}`);
            rows.push([release.version, release.react, words.name, ...cells]);
        } finally {
            await workbench.dispose();
        }
    }
    return rows;
}

async function main(): Promise<number> {
    const args = process.argv.slice(2);
    const chosen = args.filter(arg => arg !== '--write');
    if (chosen.length === 0 || chosen.some(name => !RELEASES[name])) {
        process.stderr.write(USAGE);
        return 2;
    }
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'companion-matrix-'));
    const rows: string[][] = [];
    try {
        const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', root];
        const name = execFileSync('npm', pack, { cwd: path.join(PROJECT, 'companion-extension'), encoding: 'utf8' }).trim();
        for (const release of chosen.map(minor => RELEASES[minor])) {
            for (const [other, names] of Object.entries(release.gaps)) {
                process.stdout.write(`${release.version}: ${names.map(one => `@theia/${one}`).join(', ')} of ${other}\n`);
            }
            const folder = path.join(root, release.version);
            rows.push(...(await tryRelease(release, folder, path.join(root, name))));
            await fs.rm(folder, { recursive: true, force: true });
        }
    } finally {
        await TestBrowser.close();
        await fs.rm(root, { recursive: true, force: true });
    }
    const table = markdownTable(['Theia', 'React', 'CLI', ...MAIN_JOB], rows);
    process.stdout.write(`\n${table}\n`);
    if (args.includes('--write')) {
        const [before, rest] = (await fs.readFile(DOCUMENT, 'utf8')).split(BEGIN);
        const [, after] = rest.split(END);
        const words = `Made by \`npm run matrix -- ${chosen.join(' ')}\` at commit ${commit}:`;
        await fs.writeFile(DOCUMENT, `${before}${BEGIN}\n\n${words}\n\n${table}\n\n${END}${after}`);
        execFileSync('npx', ['prettier', '--write', DOCUMENT], { cwd: PROJECT, stdio: 'ignore' });
    }
    return rows.flat().includes('no') ? 1 : 0;
}

void main().then(code => process.exit(code));
