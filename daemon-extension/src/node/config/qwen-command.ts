// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs } from 'fs';
import * as path from 'path';
import { injectable } from '@theia/core/shared/inversify';

/** Finds the Qwen Code command line, which the managed daemon is a part of. */
@injectable()
export class QwenCommand {
    /**
     * @param configured absolute path of the user settings, or empty
     * @returns absolute path of an executable file
     */
    async find(configured: string): Promise<string | undefined> {
        if (configured !== '') {
            return path.isAbsolute(configured) && (await this.isExecutable(configured)) ? configured : undefined;
        }
        const names = process.platform === 'win32' ? ['qwen.cmd', 'qwen.exe'] : ['qwen'];
        for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
            // A relative entry would find what the workspace holds.
            for (const name of path.isAbsolute(folder) ? names : []) {
                const file = path.join(folder, name);
                if (await this.isExecutable(file)) {
                    return file;
                }
            }
        }
        return undefined;
    }

    protected async isExecutable(file: string): Promise<boolean> {
        try {
            await fs.access(file, constants.X_OK);
            return (await fs.stat(file)).isFile();
        } catch {
            return false;
        }
    }
}
