// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs } from 'fs';
import * as path from 'path';

/**
 * Finds the Qwen Code command line, which the managed daemon is a part of.
 *
 * @param configured absolute path of the user settings, or empty
 * @returns absolute path of an executable file
 */
export async function findQwenCommand(configured: string): Promise<string | undefined> {
    const names = process.platform === 'win32' ? ['qwen.cmd', 'qwen.exe'] : ['qwen'];
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const files = configured !== '' ? [configured] : folders.flatMap(folder => names.map(name => path.join(folder, name)));
    for (const file of files) {
        // A relative entry would find what the workspace holds.
        if (path.isAbsolute(file) && (await isExecutable(file))) {
            return file;
        }
    }
    return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
    try {
        await fs.access(file, constants.X_OK);
        return (await fs.stat(file)).isFile();
    } catch {
        return false;
    }
}
