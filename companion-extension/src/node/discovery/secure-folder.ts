// SPDX-License-Identifier: Apache-2.0

import { promises as fs, Stats } from 'fs';
import * as path from 'path';

/** A folder whose files steer what a CLI connects to, so that nobody else may write there. */
export interface FolderLocation {
    /** Absolute path of the folder that the system or the user chose. It is taken as it is, and made where it is missing. */
    readonly base: string;
    /** The names of the folders below {@link base}, each inside the one before. They are ours or they are refused. */
    readonly below: readonly string[];
    /** Others may write into a temporary folder and plant links there; the user's own folder may well be a link. */
    readonly symlinks: 'refuse' | 'follow';
    /** The environment variable by which the user moves it, for advice. */
    readonly variable: string;
}

/** What stands in the way of a folder, as a sentence for the user that says what to do. */
export class FolderProblem extends Error {}

export function folderPath(location: FolderLocation): string {
    return path.join(location.base, ...location.below);
}

/**
 * Makes the folder where it is missing, with mode 0700, and checks that only we can write to it. One of ours that others may
 * read is accepted: the CLIs and their own companions make them so.
 *
 * @param uid our user id; `undefined` where the system has none, and then neither owner nor mode are checked
 * @returns the folder's path. Rejects with a {@link FolderProblem}.
 */
export async function makeSecureFolder(location: FolderLocation, uid: number | undefined): Promise<string> {
    requireAbsolute(location);
    await makeFolder(location.base, location, true);
    let current = location.base;
    for (const name of location.below) {
        current = path.join(current, name);
        await makeFolder(current, location, false);
        checkFolder(current, await statOf(current, location), location, uid);
    }
    return current;
}

/** @returns the folder's path if it exists and would be accepted by {@link makeSecureFolder}. Changes nothing. */
export async function findSecureFolder(location: FolderLocation, uid: number | undefined): Promise<string | undefined> {
    let current = location.base;
    try {
        requireAbsolute(location);
        for (const name of location.below) {
            current = path.join(current, name);
            checkFolder(current, await statOf(current, location), location, uid);
        }
        return current;
    } catch {
        return undefined;
    }
}

function requireAbsolute(location: FolderLocation): void {
    if (!path.isAbsolute(location.base)) {
        throw new FolderProblem(
            `${location.variable} is a relative path, which means another folder to each program. ` +
                'Set it to an absolute one and restart the IDE.'
        );
    }
}

async function makeFolder(folder: string, location: FolderLocation, recursive: boolean): Promise<void> {
    try {
        await fs.mkdir(folder, { mode: 0o700, recursive });
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== 'EEXIST') {
            throw new FolderProblem(
                `The folder ${folder} could not be made (${message}). ` +
                    `Make it possible, or set ${location.variable} to a folder of your own and restart the IDE.`
            );
        }
    }
}

function statOf(folder: string, location: FolderLocation): Promise<Stats> {
    return location.symlinks === 'follow' ? fs.stat(folder) : fs.lstat(folder);
}

function checkFolder(folder: string, stat: Stats, location: FolderLocation, uid: number | undefined): void {
    const elsewhere = `set ${location.variable} to a folder of your own and restart the IDE`;
    if (stat.isSymbolicLink()) {
        throw new FolderProblem(`${folder} is a symbolic link and is not followed. Remove it, or ${elsewhere}.`);
    }
    if (!stat.isDirectory()) {
        throw new FolderProblem(`${folder} is not a folder. Remove it, or ${elsewhere}.`);
    }
    if (uid === undefined) {
        return;
    }
    if (stat.uid !== uid) {
        throw new FolderProblem(`The folder ${folder} belongs to another user. To use one of your own, ${elsewhere}.`);
    }
    const writableByOthers = (stat.mode & 0o022) !== 0;
    const sticky = (stat.mode & 0o1000) !== 0;
    if (writableByOthers && !sticky) {
        throw new FolderProblem(`Other users may write to the folder ${folder}. Take that right away with: chmod go-w '${folder}'`);
    }
}
