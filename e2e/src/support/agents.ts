// SPDX-License-Identifier: Apache-2.0

import { execFile } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { IdeFixture } from './ide-fixture';
import { E2E_FOLDER } from './project-paths';

const FOLDER = path.join(E2E_FOLDER, 'agents');
/** In milliseconds: some 370 MB, and nothing after the first time. */
const INSTALL_LIMIT = 300_000;
/** npm's own patience without a network is more than a minute. */
const NPM_CI = ['ci', '--workspaces=false', '--no-audit', '--no-fund', '--fetch-retries=1'];

const PROGRAMS = {
    claude: '@anthropic-ai/claude-code-linux-x64/claude',
    copilot: '@github/copilot-linux-x64/copilot',
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
        const lock = await fs.readFile(path.join(FOLDER, 'package-lock.json'), 'utf8');
        const installed = path.join(FOLDER, 'node_modules', '.installed');
        if ((await fs.readFile(installed, 'utf8').catch(() => '')) === lock) {
            return undefined;
        }
        try {
            await promisify(execFile)('npm', NPM_CI, { cwd: FOLDER, timeout: INSTALL_LIMIT });
        } catch (error) {
            const [reason] = /npm error .*/.exec(String((error as Error).message)) ?? [String(error)];
            return `the terminal agents cannot be installed (${reason})`;
        }
        await fs.writeFile(installed, lock);
        return undefined;
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
