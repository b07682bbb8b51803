// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { parseEnv } from 'util';
import { HostEnvironment } from './host-environment';

/**
 * The folder that Qwen Code (0.24.4, `resolveQwenHome`) takes for its own: `QWEN_HOME`, which may stand in `~/.qwen/.env` or
 * `~/.env` and may begin with `~`, or else `~/.qwen`.
 *
 * @returns a relative path where `QWEN_HOME` is one. Qwen Code resolves it against the folder that it is started in.
 */
export async function qwenHome(host: HostEnvironment): Promise<string> {
    const home = host.homeFolder || host.temporaryFolder;
    const configured = host.variables['QWEN_HOME'] ?? (await fromEnvFiles(home));
    if (!configured) {
        return path.join(home, '.qwen');
    }
    if (configured === '~') {
        return home;
    }
    if (configured.startsWith('~/') || configured.startsWith('~\\')) {
        return path.join(
            home,
            ...configured
                .slice(2)
                .split(/[/\\]+/)
                .filter(Boolean)
        );
    }
    return path.normalize(configured);
}

async function fromEnvFiles(home: string): Promise<string | undefined> {
    for (const file of [path.join(home, '.qwen', '.env'), path.join(home, '.env')]) {
        try {
            const source = (await fs.readFile(file, 'utf8'))
                .replace(/^\uFEFF/, '')
                .replace(/^(\s*(?:export\s+)?QWEN_HOME):[^\S\r\n]+/gm, '$1=');
            const configured = parseEnv(source)['QWEN_HOME'];
            if (configured) {
                return configured;
            }
        } catch {
            // Qwen Code goes on without a file that is missing or broken, too.
        }
    }
    return undefined;
}
