// SPDX-License-Identifier: Apache-2.0

import { execFile } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { setTimeout as timeout } from 'timers/promises';
import { promisify } from 'util';
import { IdeFixture } from './ide-fixture';
import { E2E_FOLDER } from './project-paths';

const FOLDER = path.join(E2E_FOLDER, 'agents');
/** In milliseconds: some 440 MB, and nothing after the first time. */
const INSTALL_LIMIT = 300_000;
/** Two workers may want them at the same time: one installs, the others wait. */
const INSTALLING = path.join(FOLDER, '.installing');
/** npm's own patience without a network is more than a minute. */
const NPM_CI = ['ci', '--workspaces=false', '--no-audit', '--no-fund', '--fetch-retries=1'];

const PROGRAMS = {
    claude: '@anthropic-ai/claude-code-linux-x64/claude',
    copilot: '@github/copilot-linux-x64/copilot',
    kilo: '@kilocode/cli-linux-x64/bin/kilo',
    opencode: 'opencode-linux-x64/bin/opencode'
} as const;

/** The CLIs that no package of ours depends on: the licences of Claude Code and Copilot CLI are proprietary, and all are large. */
export const Agents = {
    /**
     * Installs them on first use; they are kept beside their lock file.
     *
     * @returns why they are not there
     */
    async provide(): Promise<string | undefined> {
        if (process.platform !== 'linux' || process.arch !== 'x64') {
            return `their programs are for linux-x64, and this is ${process.platform}-${process.arch}`;
        }
        const end = Date.now() + INSTALL_LIMIT;
        while (Date.now() < end) {
            if (await isInstalled()) {
                return undefined;
            }
            if (await mayInstall()) {
                return install().finally(() => fs.rm(INSTALLING, { recursive: true }));
            }
            await timeout(1_000);
        }
        return 'another run has not installed the terminal agents in time';
    },

    /** Puts a CLI into the PATH of an IDE's terminals. */
    async link(ide: IdeFixture, command: keyof typeof PROGRAMS): Promise<void> {
        const [program, link] = [path.join(FOLDER, 'node_modules', PROGRAMS[command]), path.join(ide.root, 'bin', command)];
        if (command !== 'copilot') {
            await fs.symlink(program, link);
            return;
        }
        // Without a cache that stays, it unpacks 235 MB for each HOME (1.0.102).
        const cache = path.join(FOLDER, 'node_modules', '.cache');
        await fs.writeFile(link, `#!/bin/sh\nXDG_CACHE_HOME='${cache}' exec '${program}' "$@"\n`, { mode: 0o755 });
    }
};

const INSTALLED = path.join(FOLDER, 'node_modules', '.installed');

async function isInstalled(): Promise<boolean> {
    return (await fs.readFile(INSTALLED, 'utf8').catch(() => '')) === (await readLock());
}

function readLock(): Promise<string> {
    return fs.readFile(path.join(FOLDER, 'package-lock.json'), 'utf8');
}

/** A run that was killed may have left its mark. */
async function mayInstall(): Promise<boolean> {
    const stat = await fs.stat(INSTALLING).catch(() => undefined);
    if (stat && Date.now() - stat.mtimeMs > INSTALL_LIMIT) {
        await fs.rm(INSTALLING, { recursive: true, force: true });
    }
    return fs.mkdir(INSTALLING).then(
        () => true,
        () => false
    );
}

/** @returns why it could not be done */
async function install(): Promise<string | undefined> {
    try {
        await promisify(execFile)('npm', NPM_CI, { cwd: FOLDER, timeout: INSTALL_LIMIT });
    } catch (error) {
        const [reason] = /npm error .*/.exec(String((error as Error).message)) ?? [String(error)];
        return `the terminal agents cannot be installed (${reason})`;
    }
    await fs.writeFile(INSTALLED, await readLock());
    return undefined;
}
