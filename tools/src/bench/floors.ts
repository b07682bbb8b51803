// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, execFile, fork } from 'child_process';
import { createHash } from 'crypto';
import { once } from 'events';
import { existsSync, promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { eventually } from '../../../e2e/lib/support/eventually';
import { APP_FOLDER, PROJECT } from '../../../e2e/lib/support/project-paths';
import { ProtocolClient } from '../../../e2e/lib/support/protocol-client';
import { arrival } from './arrival';

const OUR_PACKAGES = ['theia-cli-companion', 'theia-qwen-daemon'];
/** Ignored by git, and below the project: its modules are found there. */
const PLAIN_APP = path.join(PROJECT, '.setup', 'app-without-companion');

/** The protocol's floor: a bare SDK and express server, with its own clients. */
export class BareServer {
    private constructor(
        private readonly child: ChildProcess,
        readonly clients: ProtocolClient[]
    ) {}

    static async start(count: number): Promise<BareServer> {
        const child = fork(path.join(__dirname, 'bare-server.js'));
        const [port] = (await once(child, 'message')) as [number];
        // Its end is ours, also where something fails before it is disposed of.
        child.unref();
        child.channel?.unref();
        const content = { port, authToken: 'none', workspacePath: '' };
        const connect = (): Promise<ProtocolClient> =>
            ProtocolClient.connectTo({ file: '', kind: 'gemini', pid: undefined, port, content });
        const bare = new BareServer(child, await Promise.all(Array.from({ length: count }, connect)));
        // What is sent before a client's stream is open is lost.
        await eventually('the streams of the bare server', () => {
            child.send(0);
            return bare.clients.every(({ received }) => received.length > 0);
        });
        return bare;
    }

    /** Milliseconds until every client has received a notification of this size. */
    async notify(bytes: number): Promise<number> {
        const arrived = arrival(this.clients, 'a notification of the bare server', ({ params }) => params.bytes === bytes);
        const called = performance.timeOrigin + performance.now();
        this.child.send(bytes);
        return (await arrived) - called;
    }

    async dispose(): Promise<void> {
        await Promise.all(this.clients.map(client => client.disconnect()));
        this.child.disconnect();
    }
}

/** Theia's floor of the start-up: the same application without our packages, bundled as the IDE is. @returns its folder */
export async function applicationWithoutCompanion(log: (line: string) => void): Promise<string> {
    const description = JSON.parse(await fs.readFile(path.join(APP_FOLDER, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
    };
    OUR_PACKAGES.forEach(name => delete description.dependencies[name]);
    const text = JSON.stringify(description, undefined, 4);
    const hash = createHash('sha256')
        .update(text)
        .update(await fs.readFile(path.join(PROJECT, 'package-lock.json')))
        .digest('hex');
    const stamp = path.join(PLAIN_APP, 'bundled');
    if (!existsSync(stamp) || (await fs.readFile(stamp, 'utf8')) !== hash) {
        log('Bundling the same application without the companion …');
        await fs.rm(PLAIN_APP, { recursive: true, force: true });
        await fs.mkdir(PLAIN_APP, { recursive: true });
        await fs.writeFile(path.join(PLAIN_APP, 'package.json'), text);
        const theia = path.join(PROJECT, 'node_modules', '@theia', 'cli', 'bin', 'theia.js');
        const { stdout, stderr } = await promisify(execFile)(process.execPath, [theia, 'build', '--mode', 'production'], {
            cwd: PLAIN_APP
        });
        // It ends with 0 also where it failed.
        if (!existsSync(path.join(PLAIN_APP, 'lib', 'backend', 'main.js'))) {
            throw new Error(`The application without the companion could not be bundled:\n${stdout}${stderr}`);
        }
        await fs.writeFile(stamp, hash);
    }
    return PLAIN_APP;
}
