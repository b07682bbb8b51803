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
    /** In milliseconds since the epoch. */
    readonly modifiedAt: number;
    readonly uid: number;
    /** The process that must live, as the files of Qwen Code and Claude Code name it. */
    readonly ppid: number | undefined;
    /** The IDE's name for people. */
    readonly ideName: string;
    /** Another way in than HTTP. */
    readonly stdio: boolean;
}

/** What a CLI makes of the discovery files. */
export interface Lookup {
    /** Where it looks. */
    readonly folder: string;
    /** What it takes. */
    readonly found: FoundFile | undefined;
    /** Files for other folders than the one that it is started in. */
    readonly mismatched: readonly FoundFile[];
    /** Files that all match, where the CLI takes none of them then. */
    readonly ambiguous?: readonly FoundFile[];
    /** Whether the CLI tells its user of the {@link mismatched} ones; otherwise it takes the IDE for none that it knows. */
    readonly saysMismatch?: boolean;
}

/**
 * @param folder the CLI's working folder. Where it is left out, none matches, and the folders that the file names are not asked: they may never
 *   answer.
 * @returns `undefined` if a CLI would not take the file for one
 */
export async function readFoundFile(file: string, folder?: string): Promise<FoundFile | undefined> {
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
            modifiedAt: stat.mtimeMs,
            uid: stat.uid,
            ppid: typeof ppid === 'number' ? ppid : undefined,
            ideName: typeof ideName === 'string' ? ideName : '',
            stdio: typeof content['stdio'] === 'object' && content['stdio'] !== null
        };
    } catch {
        return undefined;
    }
}

/** Those of a folder whose names match. Empty if there is no such folder. @param folder as for one */
export async function readFoundFiles(inFolder: string, name: RegExp, folder?: string): Promise<FoundFile[]> {
    const names = await fs.readdir(inFolder).catch(() => []);
    const matching = names.filter(file => name.test(file)).map(file => path.join(inFolder, file));
    const files = await Promise.all(matching.map(file => readFoundFile(file, folder)));
    return files.filter(file => file !== undefined);
}

export function isAlive(pid: number): boolean {
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
