// SPDX-License-Identifier: Apache-2.0
// npm run cli-versions -- [--write] qwen@0.12.0 claude@2.1.332 copilot@1.0.102 …: the main job with other published versions of the CLIs.

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { nodeForClis } from '../../browser-app/launch/prepare-sample.mjs';
import { CLAUDE_CODE, CliWords, COPILOT_CLI, GEMINI_CLI, KILO_CLI, OPENCODE, QWEN_CODE } from '../../e2e/lib/support/cli-words';
import { MAIN_JOB, markdownTable, tryMainJob } from '../../e2e/lib/support/main-job';
import { PROJECT } from '../../e2e/lib/support/project-paths';
import { TestBrowser } from '../../e2e/lib/support/test-browser';
import { Workbench } from '../../e2e/lib/support/workbench';

const USAGE = 'Usage: npm run cli-versions -- [--write] (qwen|gemini|claude|copilot|opencode|kilo)@VERSION …\n';
const TABLE = path.join(PROJECT, 'docs', 'conformance.md');
const BEGIN = '<!-- cli-versions -->';
const END = '<!-- /cli-versions -->';

/** The package and the program in it: a script for Node, or a native program. */
const PROGRAMS: Readonly<Record<string, { words: CliWords; packageName: string; program?: string }>> = {
    qwen: { words: QWEN_CODE, packageName: QWEN_CODE.packageName },
    gemini: { words: GEMINI_CLI, packageName: GEMINI_CLI.packageName },
    claude: { words: CLAUDE_CODE, packageName: '@anthropic-ai/claude-code-linux-x64', program: 'claude' },
    copilot: { words: COPILOT_CLI, packageName: '@github/copilot-linux-x64', program: 'copilot' },
    opencode: { words: OPENCODE, packageName: 'opencode-linux-x64', program: 'bin/opencode' },
    kilo: { words: KILO_CLI, packageName: '@kilocode/cli-linux-x64', program: 'bin/kilo' }
};

async function tryVersion(name: string, version: string, folder: string): Promise<string[]> {
    const { words, packageName, program } = PROGRAMS[name];
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', folder, ...options, `${packageName}@${version}`], { stdio: 'inherit' });
    const installed = path.join(folder, 'node_modules', packageName);
    const { bin = {} } = JSON.parse(await fs.readFile(path.join(installed, 'package.json'), 'utf8')) as { bin?: Record<string, string> };
    const run = program ? `'${path.join(installed, program)}'` : `'${nodeForClis()}' '${path.join(installed, bin[name])}'`;
    const workbench = await Workbench.start({ model: true });
    try {
        await fs.writeFile(path.join(workbench.ide.root, 'bin', name), `#!/bin/sh\nexec ${run} "$@"\n`, { mode: 0o755 });
        return [words.name, version, ...(await tryMainJob(workbench, words, `${name} ${version}`))];
    } finally {
        await workbench.dispose();
    }
}

async function main(): Promise<number> {
    const args = process.argv.slice(2);
    const chosen = args.filter(arg => arg !== '--write').map(arg => /^(qwen|gemini|claude|copilot|opencode|kilo)@([\w.-]+)$/.exec(arg));
    if (chosen.length === 0 || chosen.includes(null)) {
        process.stderr.write(USAGE);
        return 2;
    }
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'cli-versions-'));
    const rows: string[][] = [];
    try {
        for (const [label, name, version] of chosen as RegExpExecArray[]) {
            process.stdout.write(`${label} …\n`);
            rows.push(await tryVersion(name, version, path.join(root, label)));
            await fs.rm(path.join(root, label), { recursive: true, force: true });
        }
    } finally {
        await TestBrowser.close();
        await fs.rm(root, { recursive: true, force: true });
    }
    const table = markdownTable(['CLI', 'version', ...MAIN_JOB], rows);
    process.stdout.write(`\n${table}\n`);
    if (args.includes('--write')) {
        const [text, , rest] = (await fs.readFile(TABLE, 'utf8')).split(new RegExp(`(${BEGIN}[^]*${END}\n)`));
        const words = 'The main job with published versions of the CLIs, tried with `npm run cli-versions` (–: it shows no diffs):';
        await fs.writeFile(TABLE, `${text}${BEGIN}\n## Versions of the CLIs\n\n${words}\n\n${table}\n${END}\n${rest}`);
    }
    return 0;
}

void main().then(code => process.exit(code));
