// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import { connect } from 'net';
import * as path from 'path';
import { SecureFolder } from '../discovery/secure-folder';
import { OWN_TMPDIR } from '../discovery/supported-cli';
import { FileAccess } from '../host/file-access';
import { HostEnvironment } from '../host/host-environment';

/** Bytes of a socket's path without the zero at its end. */
const MAX_PATH_BYTES = { darwin: 103, other: 107 } as const;
/** Where a temporary folder of the user's own has too long a path. */
const SHORT_FOLDER = '/tmp';
const MAX_SOCKETS = 1000;

/** The place of a server's socket: a folder that only we may enter. Never the HOME, since to listen in one that hangs would stop the backend. */
export class SocketPlace {
    constructor(
        protected readonly host: HostEnvironment,
        protected readonly tasks: Pick<FileAccess, 'run'>
    ) {}

    /** Makes the folder, and clears it of what killed backends left. @returns a free path. Rejects with a `FaultError`. */
    async make(): Promise<string> {
        const { uid = 'user', platform, pid } = this.host;
        const name = `${pid}-${randomBytes(4).toString('hex')}.sock`;
        const below = [`theia-cli-companion-${uid}`];
        const limit = platform === 'darwin' ? MAX_PATH_BYTES.darwin : MAX_PATH_BYTES.other;
        const own = this.host.temporaryFolder;
        const base = Buffer.byteLength(path.join(own, ...below, name)) <= limit ? own : SHORT_FOLDER;
        return this.tasks.run(base, async () => {
            const folder = await new SecureFolder({ base, below, symlinks: 'refuse', elsewhere: () => OWN_TMPDIR }, this.host).make();
            // One of ours that others may read is good enough for files, which have modes of their own.
            await fs.chmod(folder, 0o700);
            await this.sweep(folder);
            return path.join(folder, name);
        });
    }

    protected async sweep(folder: string): Promise<void> {
        const names = (await fs.readdir(folder)).filter(name => name.endsWith('.sock'));
        for (const socket of names.slice(0, MAX_SOCKETS).map(name => path.join(folder, name))) {
            if (await isDeserted(socket)) {
                await fs.unlink(socket).catch(() => undefined);
            }
        }
    }
}

/** Whether nobody listens any more. The pid would not tell: containers may share the folder. */
function isDeserted(socket: string): Promise<boolean> {
    return new Promise(resolve => {
        const connection = connect(socket);
        connection.once('connect', () => {
            connection.destroy();
            resolve(false);
        });
        connection.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
    });
}
