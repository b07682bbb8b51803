// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { isInside } from '../host/workspace-roots';

/** More than a discovery file has, in bytes: it names every root, and there may be many with long names. */
export const MAX_DISCOVERY_FILE = 4 * 1024 * 1024;

/** A discovery file as a CLI reads it. */
export interface FoundFile {
    readonly path: string;
    readonly port: number;
    readonly token: string;
    /** `undefined` if the file does not say. */
    readonly workspacePath: string | undefined;
    /** Whether the CLI's working folder lies in it. */
    readonly matches: boolean;
    readonly uid: number;
    /** The process that must live, as the files of Qwen Code and Claude Code name it. */
    readonly ppid: number | undefined;
    /** The IDE's name for people. */
    readonly ideName: string;
}

/**
 * @param folder the CLI's working folder. Where it is left out, none matches, and the folders that the file names are not asked: they may never
 *   answer.
 * @returns `undefined` if a CLI would not take the file for one
 */
async function readFoundFile(file: string, folder?: string): Promise<FoundFile | undefined> {
    try {
        const stat = await fs.stat(file);
        if (!stat.isFile() || stat.size > MAX_DISCOVERY_FILE) {
            return undefined;
        }
        const content = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, unknown>;
        const { port = parseInt(path.basename(file), 10), authToken, pid, ppid = pid, ideName } = content;
        const folders = content['workspaceFolders'];
        // Claude Code's lock has a list.
        const workspacePath = Array.isArray(folders) ? folders.map(String).join(path.delimiter) : content['workspacePath'];
        return {
            path: file,
            port: Number(port),
            token: typeof authToken === 'string' ? authToken : '',
            workspacePath: typeof workspacePath === 'string' ? workspacePath : undefined,
            matches: typeof workspacePath === 'string' && folder !== undefined && (await lies(folder, workspacePath)),
            uid: stat.uid,
            ppid: typeof ppid === 'number' ? ppid : undefined,
            ideName: typeof ideName === 'string' ? ideName : ''
        };
    } catch {
        return undefined;
    }
}

/** Those of a folder whose process lives. Empty if there is no such folder. @param folder as for one */
export async function readFoundFiles(inFolder: string, isMeant: (name: string) => boolean, folder?: string): Promise<FoundFile[]> {
    const names = await fs.readdir(inFolder).catch(() => []);
    const files = await Promise.all(names.filter(isMeant).map(name => readFoundFile(path.join(inFolder, name), folder)));
    return files.filter(file => file !== undefined).filter(({ ppid }) => ppid === undefined || isAlive(ppid));
}

function isAlive(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
}

async function lies(folder: string, workspacePath: string): Promise<boolean> {
    const real = (file: string): Promise<string> => fs.realpath(file).catch(() => path.resolve(file));
    const inside = await real(folder);
    const roots = await Promise.all(workspacePath.split(path.delimiter).filter(Boolean).map(real));
    return roots.some(root => isInside(root, inside));
}
