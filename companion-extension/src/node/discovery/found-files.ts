// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { CompanionLimits } from '../../common/companion-limits';
import { isInside } from '../host/workspace-roots';
import { processExists } from './process-marker';

/** More than a discovery file has, in bytes: it names every root, and there may be many with long names. */
export const MAX_DISCOVERY_FILE = 4 * 1024 * 1024;

/** How many files of one folder are looked at: everybody may make as many in one below the temporary folder. */
export const MAX_FILES = 1000;

const MAX_PORT = 65535;

/** A discovery file as a CLI reads it. */
export interface FoundFile {
    readonly path: string;
    readonly port: number;
    readonly token: string;
    /** Those that the file names, as text: all IDEs write real paths. They may lie where nothing answers. */
    readonly roots: readonly string[];
    /** The IDE's name for people. */
    readonly ideName: string;
}

/** Whether a folder lies in those that the file is for. */
export function isFor({ roots }: FoundFile, folder: string): boolean {
    return roots.some(root => isInside(root, folder));
}

/**
 * The discovery files of a folder that are the user's own and whose process lives. Empty if there is no such folder.
 *
 * @param uid the user's
 */
export async function readFoundFiles(folder: string, isMeant: (name: string) => boolean, uid: number | undefined): Promise<FoundFile[]> {
    const names = await fs.readdir(folder).catch(() => []);
    const files: FoundFile[] = [];
    // One at a time: a file system that does not answer holds one thread of Node's, and not all.
    for (const name of names.filter(isMeant).slice(0, MAX_FILES)) {
        const file = await readFoundFile(path.join(folder, name), uid);
        files.push(...(file ? [file] : []));
    }
    return files;
}

/** @returns `undefined` if a CLI would not take the file for one */
async function readFoundFile(file: string, uid: number | undefined): Promise<FoundFile | undefined> {
    try {
        const stat = await fs.stat(file);
        if (!stat.isFile() || (uid !== undefined && stat.uid !== uid) || stat.size > MAX_DISCOVERY_FILE) {
            return undefined;
        }
        const content = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, unknown>;
        const name = path.basename(file);
        const { authToken, ideName, workspacePath = '', workspaceFolders } = content;
        const port = Number(content['port'] ?? parseInt(name, 10));
        // Those of Qwen Code and Claude Code name it inside, others in their names.
        const pid = content['ppid'] ?? content['pid'] ?? /-(\d+)-\d+\.json$/.exec(name)?.[1];
        if (!Number.isInteger(port) || port < 1 || port > MAX_PORT || (pid !== undefined && !processExists(Number(pid)))) {
            return undefined;
        }
        const most = CompanionLimits.roots;
        const roots = Array.isArray(workspaceFolders)
            ? workspaceFolders.slice(0, most).map(String)
            : String(workspacePath).split(path.delimiter, most);
        return {
            path: file,
            port,
            token: typeof authToken === 'string' ? authToken : '',
            roots: roots.filter(root => path.isAbsolute(root)),
            ideName: typeof ideName === 'string' ? ideName : ''
        };
    } catch {
        return undefined;
    }
}
