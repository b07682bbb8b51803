// SPDX-License-Identifier: Apache-2.0

import { execFile } from 'child_process';
import * as path from 'path';
import { NoAnswer } from './file-access';

/** How long a search may take. */
const LIMIT_MS = 2_000;

/**
 * Looks for a command, in a shell of its own that reads no settings: a folder that does not answer holds that shell, and none of Node's
 * threads. Rejects with {@link NoAnswer} if that is unknown.
 *
 * @param searchPath a `PATH`; only its absolute folders count, which are the same wherever the shell is
 * @returns the program's path
 */
export function findOnPath(command: string, searchPath: string | null | undefined): Promise<string | undefined> {
    const folders = (searchPath ?? '').split(path.delimiter).filter(folder => path.isAbsolute(folder));
    return new Promise((resolve, reject) => {
        const env = { PATH: folders.join(path.delimiter) };
        const noAnswer = (): void => reject(new NoAnswer(folders));
        // The shell may not even end when it is killed.
        const timer = setTimeout(noAnswer, LIMIT_MS).unref();
        const child = execFile('/bin/sh', ['-c', 'command -v "$0"', command], { env, cwd: '/' }, (error, output) => {
            clearTimeout(timer);
            if (error && typeof error.code !== 'number') {
                noAnswer();
            } else {
                resolve(output.trim() || undefined);
            }
        });
        child.unref();
    });
}
