// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs } from 'fs';
import * as path from 'path';
import { OneAtATime, queueOf } from './one-at-a-time';

/** The folders of a `PATH` in which a shell looks for commands, wherever it is. */
export function searchFolders(searchPath: string | null | undefined): string[] {
    return (searchPath ?? '').split(path.delimiter).filter(folder => path.isAbsolute(folder));
}

/** Looks for a command as a shell does. Rejects with `NoAnswer` if a folder does not answer. @returns the program's path */
export async function findOnPath(command: string, folders: readonly string[], tasks: OneAtATime): Promise<string | undefined> {
    for (const folder of folders) {
        const program = path.join(folder, command);
        if (await tasks.run(queueOf(folder, folder), () => isExecutable(program))) {
            return program;
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
