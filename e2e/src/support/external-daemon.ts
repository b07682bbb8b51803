// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from './eventually';
import { IdeFixture } from './ide-fixture';
import { OwnedProcess } from './owned-process';

/** Of the daemon's SDK, what another client than the IDE does here. (It has no types for this project's module resolution.) */
interface OtherSession {
    status(): Promise<{ pendingInteractions?: { requestId: string }[] }>;
    respondToPermission(requestId: string, response: { outcome: { outcome: 'selected'; optionId: string } }): Promise<boolean>;
    submitPrompt(request: { prompt: { type: 'text'; text: string }[] }): Promise<unknown>;
}
interface OtherClient {
    listWorkspaceSessions(workspaceCwd: string): Promise<{ sessionId: string; updatedAt?: string }[]>;
}
interface Sdk {
    DaemonClient: new (options: { baseUrl: string; token: string }) => OtherClient;
    DaemonSessionClient: {
        load(client: OtherClient, sessionId: string, options: { workspaceCwd: string; approvalMode: string }): Promise<OtherSession>;
    };
}

/** A real `qwen serve` that somebody else started, for the IDE's workspace or another folder. */
export class ExternalDaemon {
    private constructor(
        private readonly process: OwnedProcess,
        readonly url: string,
        readonly token: string,
        private readonly workspace: string
    ) {}

    /** @param port a free one by default */
    static async start(ide: IdeFixture, workspace = ide.workspace, port = '0'): Promise<ExternalDaemon> {
        const token = randomBytes(32).toString('hex');
        const [bin] = (ide.env.PATH ?? '').split(path.delimiter);
        const args = ['serve', '--hostname', '127.0.0.1', '--port', port, '--workspace', workspace, '--no-web', '--require-auth'];
        const daemon = new OwnedProcess('The daemon', path.join(bin, 'qwen'), args, {
            cwd: workspace,
            env: { ...ide.env, QWEN_SERVER_TOKEN: token }
        });
        const [, url] = await daemon.waitForLog(/listening on (http:\S+)/);
        return new ExternalDaemon(daemon, url, token, workspace);
    }

    get pid(): number {
        return this.process.pid;
    }

    /** A file that only its owner may read, as the IDE demands. */
    async writeToken(ide: IdeFixture, token = this.token): Promise<string> {
        const file = path.join(ide.root, 'daemon-token');
        await fs.writeFile(file, `${token}\n`, { mode: 0o600 });
        return file;
    }

    /** Joins the newest session as another client. */
    async join(): Promise<OtherSession> {
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        const { DaemonClient, DaemonSessionClient } = require('@qwen-code/sdk/daemon') as Sdk;
        const client = new DaemonClient({ baseUrl: this.url, token: this.token });
        const [newest] = await eventually('a session', async () => {
            const sessions = await client.listWorkspaceSessions(this.workspace);
            return sessions.length > 0 && sessions;
        });
        return DaemonSessionClient.load(client, newest.sessionId, { workspaceCwd: this.workspace, approvalMode: 'default' });
    }

    async dispose(): Promise<void> {
        await this.process.end('SIGTERM');
    }
}
