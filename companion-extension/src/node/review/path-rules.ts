// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { CompanionLimits } from '../../common/companion-protocol';

/** Windows takes these for devices in every folder and with every ending. */
const DEVICE_NAMES = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³]) *(\..*)?$/i;

/** What a path may be on one platform, as far as its characters tell. */
export class PathRules {
    private readonly paths: path.PlatformPath;
    private readonly separators: RegExp;
    /** Linux shows its own state as files, some of which never end or never answer when they are read. */
    private readonly systemFiles: RegExp;

    constructor(private readonly platform: NodeJS.Platform = process.platform) {
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

    private findWindowsProblem(filePath: string, roots: readonly string[]): string | undefined {
        const root = this.rootOf(filePath);
        const names = this.namesOf(filePath.slice(root.length));
        if (/^\\\\[?.]\\/.test(root) || names.some(name => DEVICE_NAMES.test(name) || name.includes(':'))) {
            return 'The path names a device or a stream of a file';
        }
        // Merely to look there would greet the other machine with the user's name and password digest.
        if (root.startsWith('\\\\') && !roots.some(one => this.rootOf(one) === root)) {
            return 'The path lies on another machine';
        }
        return undefined;
    }

    private rootOf(filePath: string): string {
        return this.paths.parse(filePath).root.replace(/\//g, '\\').toLowerCase();
    }
}
