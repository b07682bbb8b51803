// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { SecureFolder } from '../discovery/secure-folder';
import { OWN_TMPDIR } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';

/** Bytes of a socket's path without the zero at its end. */
const MAX_PATH_BYTES = { darwin: 103, other: 107 } as const;
/** Where a temporary folder of the user's own has too long a path. */
const SHORT_FOLDER = '/tmp';

/** The place of a server's socket: a folder that only we may enter. Never the HOME, since to listen in one that hangs would stop the backend. */
export class SocketPlace {
    constructor(protected readonly host: HostEnvironment) {}

    /**
     * Makes the folder. What is there stays: a socket that refuses may be that of a living backend on another kernel.
     *
     * @returns a free path. Rejects with a `FaultError`.
     */
    async make(): Promise<string> {
        const { uid = 'user', platform, pid } = this.host;
        const name = `${pid}-${randomBytes(4).toString('hex')}.sock`;
        const below = [`theia-cli-companion-${uid}`];
        const limit = platform === 'darwin' ? MAX_PATH_BYTES.darwin : MAX_PATH_BYTES.other;
        const own = this.host.temporaryFolder;
        const base = Buffer.byteLength(path.join(own, ...below, name)) <= limit ? own : SHORT_FOLDER;
        const folder = await new SecureFolder({ base, below, symlinks: 'refuse', elsewhere: () => OWN_TMPDIR }, this.host).make();
        // One of ours that others may read is good enough for files, which have modes of their own.
        await fs.chmod(folder, 0o700);
        return path.join(folder, name);
    }
}
