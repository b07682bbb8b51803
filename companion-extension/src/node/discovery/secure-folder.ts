// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs, Stats } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { Fault } from '../../common/companion-problem';
import { describeCause, FaultError } from '../host/fault-error';
import { HostEnvironment } from '../host/host-environment';
import { isInside } from '../host/paths';

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/** How the user moves a folder to another place. @since 0.1 */
export interface Elsewhere {
    /** The environment variable. */
    readonly variable: string;
    /** Sets it in the shell that starts the IDE. */
    readonly command: string;
}

/** A folder whose files steer what a CLI connects to, so that nobody else may write there. @since 0.1 */
export interface FolderLocation {
    /** Absolute path of the folder that the system or the user chose. It is taken as it is, and made if it is missing. */
    readonly base: string;
    /** The names of the folders below {@link base}, each inside the one before. They are ours, or root's, or they are refused. */
    readonly below: readonly string[];
    /** Others may write into a temporary folder and plant links there; the user's own folder may well be a link. */
    readonly symlinks: 'refuse' | 'follow';
    /** For advice about a folder that is refused: this one, or one above it. */
    readonly elsewhere: (refused: string) => Elsewhere;
}

/** @param folder as a shell understands it between double quotes */
export function elsewhere(variable: string, folder: string): Elsewhere {
    return { variable, command: `mkdir -p "${folder}" && export ${variable}="${folder}"` };
}

/** The folder at a location, for one user. If the system has no user ids, neither owner nor mode are checked. */
export class SecureFolder {
    readonly path: string;

    /** @param logger hears of what {@link make} changes of a folder that is there */
    constructor(
        protected readonly location: FolderLocation,
        protected readonly user: FolderUser,
        protected readonly logger?: Pick<ILogger, 'info'>
    ) {
        this.path = path.join(location.base, ...location.below);
    }

    /**
     * Makes the folder if it is missing, with mode 0700, and checks that only we can write to it. One of ours that others may read is
     * accepted: the CLIs and their own companions make them so. Below HOME the group loses the right to write, which a umask of 002 gave it.
     *
     * @returns the folder's path. Rejects with a {@link FaultError}.
     */
    async make(): Promise<string> {
        await this.checkAll(true);
        return this.path;
    }

    /** Why {@link make} would refuse the folder; `undefined` if it would not, also if it is missing. Changes nothing. */
    async findFault(): Promise<Fault | undefined> {
        return this.checkAll(false).catch(error => (error instanceof FaultError ? error.fault : undefined));
    }

    /** Makes the error for a file that could not be written in it. */
    notWritable(error: unknown): FaultError {
        const { path: folder } = this;
        return new FaultError({ code: 'folder-not-writable', folder, cause: describeCause(error), ...this.location.elsewhere(folder) });
    }

    protected async checkAll(make: boolean): Promise<undefined> {
        const { base, below, elsewhere: moved } = this.location;
        if (!path.isAbsolute(base)) {
            throw new FaultError({ code: 'folder-relative', ...moved(base) });
        }
        if (make) {
            await this.makeFolder(base, true);
        }
        let folder = base;
        for (const name of below) {
            folder = path.join(folder, name);
            if (make) {
                await this.makeFolder(folder, false);
            }
            await this.check(folder, make);
        }
        return undefined;
    }

    protected async makeFolder(folder: string, recursive: boolean): Promise<void> {
        try {
            await fs.mkdir(folder, { mode: 0o700, recursive });
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
                throw new FaultError({ code: 'folder-not-made', folder, cause: describeCause(error), ...this.location.elsewhere(folder) });
            }
        }
    }

    protected async check(folder: string, make: boolean): Promise<void> {
        const { uid } = this.user;
        const stat = await (this.location.symlinks === 'follow' ? fs.stat(folder) : fs.lstat(folder));
        // Root may write everywhere. An image's build may have made the folder that HOME lies in.
        const isOurs = uid === undefined || stat.uid === uid || stat.uid === ROOT;
        if (!isOurs) {
            throw new FaultError({ code: 'folder-of-another-user', folder, ...this.location.elsewhere(folder) });
        }
        if (stat.isSymbolicLink()) {
            throw new FaultError({ code: 'folder-is-link', folder, command: `rm ${quoted(folder)}` });
        }
        if (!stat.isDirectory()) {
            throw new FaultError({ code: 'folder-is-file', folder, command: `mv ${quoted(folder)} ${quoted(`${folder}.old`)}` });
        }
        if (uid !== undefined && !this.isWrittenByUsAlone(stat) && !(await this.takeFromGroup(folder, make))) {
            throw new FaultError({ code: 'folder-open-to-others', folder, command: `chmod go-w ${quoted(folder)}` });
        }
    }

    /**
     * True also in a sticky temporary folder, where nobody touches what is not theirs, and Gemini CLI looks at a file's owner (0.61). In
     * their own folders Qwen Code (0.24) and Claude Code (2.1) take a stranger's lock file, too.
     */
    protected isWrittenByUsAlone({ mode }: Stats): boolean {
        const isSticky = this.location.symlinks === 'refuse' && (mode & 0o1000) !== 0;
        return isSticky || (mode & (GROUP_WRITES | OTHERS_WRITE)) === 0;
    }

    /**
     * Takes the right to write in a folder of ours below HOME from its group. With a umask of 002 the CLIs give it (Debian, Ubuntu, Fedora).
     *
     * @param make otherwise nothing is changed
     * @returns whether that is enough
     */
    protected async takeFromGroup(folder: string, make: boolean): Promise<boolean> {
        const { uid, homeFolder } = this.user;
        if (this.location.symlinks === 'refuse' || folder === homeFolder || !isInside(homeFolder, folder)) {
            return false;
        }
        // The opened folder, so that no link takes its place.
        const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
        const handle = await fs.open(folder, flags).catch(() => undefined);
        try {
            const stat = await handle?.stat();
            if (!handle || !stat || stat.uid !== uid || (stat.mode & OTHERS_WRITE) !== 0) {
                return false;
            }
            if (make) {
                await handle.chmod(stat.mode & ~GROUP_WRITES & 0o7777);
                void this.logger?.info(`The group could write in ${folder}. It cannot any more.`);
            }
            return true;
        } finally {
            await handle?.close();
        }
    }
}

/** For a shell. */
export function quoted(file: string): string {
    return `'${file.replaceAll("'", "'\\''")}'`;
}

/** The user that this process runs as. */
export type FolderUser = Pick<HostEnvironment, 'uid' | 'homeFolder'>;
