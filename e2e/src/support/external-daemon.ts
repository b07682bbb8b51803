// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { IdeFixture } from './ide-fixture';
import { OwnedProcess } from './owned-process';

/** A real `qwen serve` that somebody else started, for the IDE's workspace. */
export class ExternalDaemon {
    private constructor(
        private readonly process: OwnedProcess,
        readonly url: string,
        readonly token: string
    ) {}

    static async start(ide: IdeFixture): Promise<ExternalDaemon> {
        const token = randomBytes(32).toString('hex');
        const [bin] = (ide.env.PATH ?? '').split(path.delimiter);
        const args = ['serve', '--hostname', '127.0.0.1', '--port', '0', '--workspace', ide.workspace, '--no-web', '--require-auth'];
        const daemon = new OwnedProcess('The daemon', path.join(bin, 'qwen'), args, {
            cwd: ide.workspace,
            env: { ...ide.env, QWEN_SERVER_TOKEN: token }
        });
        const [, url] = await daemon.waitForLog(/listening on (http:\S+)/);
        return new ExternalDaemon(daemon, url, token);
    }

    /** A file that only its owner may read, as the IDE demands. */
    async writeToken(ide: IdeFixture, token = this.token): Promise<string> {
        const file = path.join(ide.root, 'daemon-token');
        await fs.writeFile(file, `${token}\n`, { mode: 0o600 });
        return file;
    }

    async dispose(): Promise<void> {
        await this.process.end('SIGTERM');
    }
}
