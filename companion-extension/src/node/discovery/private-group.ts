// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';

/** The user that this process runs as, and where the system lists users and groups. */
export interface FolderUser {
    /** `undefined` where the system has no user ids. */
    readonly uid: number | undefined;
    /** The folder of `passwd` and `group`. */
    readonly accountsFolder: string;
}

/**
 * Whether a group is the user's primary group and has no other member. Many systems give each user such a group, and a umask of 002 with
 * it (Debian, Ubuntu, Fedora): what the group may write, the user alone may write.
 *
 * @returns `false` where `passwd` and `group` do not tell: without an entry of the user and one of the group, or with entries of NIS.
 */
export async function isPrivateGroup(gid: number, { uid, accountsFolder }: FolderUser): Promise<boolean> {
    let users: string[][];
    let groups: string[][];
    try {
        users = await readTable(path.join(accountsFolder, 'passwd'));
        groups = await readTable(path.join(accountsFolder, 'group'));
    } catch {
        return false;
    }
    if ([...users, ...groups].some(([name]) => /^[+-]/.test(name))) {
        return false;
    }
    // Several names may stand for one user, and several groups for one id.
    const ownNames = new Set(users.filter(fields => isNumber(fields[2], uid)).map(([name]) => name));
    const primary = users.filter(fields => isNumber(fields[3], gid));
    const entries = groups.filter(fields => isNumber(fields[2], gid));
    const members = [...primary.map(([name]) => name), ...entries.flatMap(fields => (fields[3] ?? '').split(',').filter(Boolean))];
    return primary.length > 0 && entries.length > 0 && members.every(name => ownNames.has(name));
}

async function readTable(file: string): Promise<string[][]> {
    const lines = (await fs.readFile(file, 'utf8')).split('\n');
    return lines.filter(line => line.trim() && !line.startsWith('#')).map(line => line.trim().split(':'));
}

function isNumber(field: string | undefined, value: number | undefined): boolean {
    return field !== undefined && /^\d+$/.test(field) && Number(field) === value;
}
