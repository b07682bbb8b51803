// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import * as fs from 'fs';
import { CompanionLimits } from '../../common/companion-limits';
import { ReviewFile } from './review';

/** Windows treats these as devices in every folder and with every extension. */
const DEVICE_NAMES = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³]) *(\..*)?$/i;

/** Judges a path by its characters, by the rules of one platform. */
export class PathRules {
    protected readonly paths: path.PlatformPath;
    protected readonly separators: RegExp;
    /** Linux shows its own state as files. Some of them never end, or never answer. */
    protected readonly systemFiles: RegExp;

    constructor(protected readonly platform: NodeJS.Platform = process.platform) {
        this.paths = platform === 'win32' ? path.win32 : path.posix;
        this.separators = platform === 'win32' ? /[\\/]/ : /\//;
        this.systemFiles = platform === 'linux' ? /^\/(proc|sys)\// : /^$/;
    }

    /** @returns what is wrong with a path from outside, before the file system is asked for it */
    findProblem(filePath: string, roots: readonly string[]): string | undefined {
        if (filePath.includes('\0')) {
            return 'The path holds a NUL character';
        }
        if (filePath.length > CompanionLimits.path) {
            return `The path is longer than ${CompanionLimits.path} characters`;
        }
        if (!this.paths.isAbsolute(filePath)) {
            return 'The path must be absolute';
        }
        return this.platform === 'win32' ? this.findWindowsProblem(filePath, roots) : undefined;
    }

    /** Whether the file systems of this platform tell names apart by case is taken from their defaults. */
    isBelow(root: string, file: string): boolean {
        const [from, to] = this.platform === 'darwin' ? [root.toLowerCase(), file.toLowerCase()] : [root, file];
        // On Windows, `relative` looks at no case anyway.
        const relative = this.paths.relative(from, to);
        return relative !== '' && relative !== '..' && !relative.startsWith(`..${this.paths.sep}`) && !this.paths.isAbsolute(relative);
    }

    /** Whether a path says by its end that it is a folder's. */
    isFolder(filePath: string): boolean {
        return ['', '.', '..'].includes(filePath.split(this.separators).pop() ?? '');
    }

    /** The names in a part of a path, `.` and `..` among them. */
    namesOf(relative: string): readonly string[] {
        return relative.split(this.separators).filter(name => name !== '');
    }

    /** @param real a path without links */
    isSystemFile(real: string): boolean {
        return this.systemFiles.test(real);
    }

    protected findWindowsProblem(filePath: string, roots: readonly string[]): string | undefined {
        const root = this.rootOf(filePath);
        const names = this.namesOf(filePath.slice(root.length));
        if (/^\\\\[?.]\\/.test(root) || names.some(name => DEVICE_NAMES.test(name) || name.includes(':'))) {
            return 'The path names a device or a stream of a file';
        }
        // Merely to look there would greet the other machine with the user's name and password digest.
        if (root.startsWith('\\\\') && !roots.some(known => this.rootOf(known) === root)) {
            return 'The path lies on another machine';
        }
        return undefined;
    }

    protected rootOf(filePath: string): string {
        return this.paths.parse(filePath).root.replace(/\//g, '\\').toLowerCase();
    }
}

export type ReviewPathResult = { readonly file: ReviewFile } | { readonly problem: string };

type Found = { readonly real: string; readonly modifiedAt?: number } | { readonly problem: string };

const RULES = new PathRules();

/**
 * Checks the path of an `openDiff`. It is resolved for checking only: the string that goes back to the CLI is the one
 * that came.
 *
 * @param roots absolute real paths of the workspace's roots
 */
export async function checkReviewPath(filePath: string, roots: readonly string[]): Promise<ReviewPathResult> {
    const malformed = RULES.findProblem(filePath, roots);
    if (malformed) {
        return { problem: `${malformed}: ${JSON.stringify(filePath.slice(0, 200))}` };
    }
    const climbs = filePath.split(/[\\/]/).includes('..');
    const found = await look(filePath, roots);
    if ('problem' in found) {
        return { problem: `${filePath} ${found.problem}` };
    }
    if (climbs) {
        // `link/..` is one place for the system and another for a CLI that takes `..` out of the text first: both must do.
        const plain = await look(path.normalize(filePath), roots);
        if ('problem' in plain) {
            return { problem: `${filePath} ${plain.problem}` };
        }
        if (isOutside(found.real, roots) || isOutside(plain.real, roots)) {
            return { problem: `${filePath} leaves the workspace` };
        }
    }
    const { real, ...rest } = found;
    return { file: { path: climbs ? real : path.normalize(filePath), realPath: real, ...rest } };
}

/** Whether a real path is below none of the workspace's roots, which are real paths, too. */
export function isOutside(real: string, roots: readonly string[]): boolean {
    return !roots.some(root => RULES.isBelow(root, real));
}

/** Looks what is at a path, or may be made there. A problem continues a sentence that begins with the path. */
async function look(filePath: string, roots: readonly string[]): Promise<Found> {
    if (RULES.isFolder(filePath)) {
        return { problem: 'is a folder; only a file can be reviewed' };
    }
    const real = await resolve(filePath, roots);
    if (real === undefined) {
        return { problem: 'cannot be reached: a part of its path is not a folder, or may not be entered' };
    }
    if (RULES.isSystemFile(real)) {
        return { problem: 'is a view of the system, not a file; only a file can be reviewed' };
    }
    try {
        const stats = await fs.promises.stat(real);
        if (stats.isFile()) {
            // As Theia's file service rounds it, with which a page compares it.
            return { real, modifiedAt: stats.mtime.getTime() };
        }
        return { problem: `is ${stats.isDirectory() ? 'a folder' : 'a device, pipe or socket'}; only a file can be reviewed` };
    } catch {
        // A new file.
        return { real };
    }
}

/**
 * The real path, name by name, as it is or would be once the folders that are missing are made: to ask for the whole path would
 * leave unknown what stands behind a `missing/..`. A view of the system is where it ends. A root of the workspace is asked for as one
 * name: each further name costs a turn of the event loop, in which the work of other proposals comes first.
 */
async function resolve(filePath: string, roots: readonly string[]): Promise<string | undefined> {
    const { root } = path.parse(filePath);
    const start = roots.find(candidate => filePath.startsWith(`${candidate}${path.sep}`)) ?? root;
    const names = [...(start === root ? [] : [start.slice(root.length)]), ...RULES.namesOf(filePath.slice(start.length))];
    const missing: string[] = [];
    let real = root;
    for (const name of names) {
        if (missing.length > 0) {
            // What is not there holds no links.
            if (name === '..') {
                missing.pop();
            } else if (name !== '.') {
                missing.push(name);
            }
            continue;
        }
        // Not path.join, which would take `.` and `..` away from behind a file.
        const next = `${real}${path.sep}${name}`;
        try {
            real = await fs.promises.realpath(next);
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isSymlink(next))) {
                return undefined;
            }
            if (name.includes(path.sep)) {
                // A root that is not there: which of its folders are missing counts, and whether one is a link.
                return resolve(filePath, []);
            }
            missing.push(name);
        }
        if (RULES.isSystemFile(real)) {
            return real;
        }
    }
    return path.join(real, ...missing);
}

/** A link to nowhere may lead anywhere once its target is made. */
async function isSymlink(file: string): Promise<boolean> {
    return fs.promises.lstat(file).then(
        stats => stats.isSymbolicLink(),
        () => false
    );
}
