// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { nodeForClis, prepareSample, Sample } from '../../../browser-app/launch/prepare-sample.mjs';
import { OwnedProcess, ProcessExit } from './owned-process';
import { APP_FOLDER, COMPILED_FOLDER } from './project-paths';
import { giveBackPort, takePort } from './usual-ports';

export interface IdeOptions {
    /** Of the scripted model; needed where a CLI is to get answers. */
    modelPort?: number;
    /** Opens the getting-started view at the first start, as `npm start` does. */
    gettingStarted?: boolean;
    /** Extra files for the workspace, by relative path. */
    files?: Record<string, string>;
    /** Done in the folders of the user and the workspace before the backend starts. */
    prepare?: (ide: IdeFixture) => Promise<void>;
    /** Added to the backend's environment. */
    environment?: NodeJS.ProcessEnv;
    /** Whether Node's inspector may be asked for, see {@link IdeFixture.inspectorUrl}. */
    inspectable?: boolean;
    /** That of the backend, and so of its terminals; this process's where it is left out. */
    umask?: number;
    /** Folder of the application; the sample IDE by default. */
    application?: string;
    /** The script to run, relative to the application's folder. Default: its bundle. */
    main?: string;
    /** The folder for everything that the backend and its terminals write. It must not exist yet. Default: a temporary one. */
    root?: string;
    /** A command that starts the backend, which it gets as its arguments, such as `unshare --pid --fork`. */
    within?: readonly string[];
    /** What the backend listens on; loopback by default. */
    hostname?: string;
}

/** Where nobody listens: for tests in which no CLI asks its model. */
const NO_MODEL = 9;

async function makeRoot(folder: string | undefined): Promise<string> {
    if (folder === undefined) {
        return fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-e2e-')));
    }
    await fs.mkdir(folder);
    return folder;
}

/** The real backend on a free loopback port, with the environment of `npm start` and its own folders for everything that it writes. */
export class IdeFixture {
    url: string;
    private process: OwnedProcess;
    private logBefore = '';
    /** Another backend, whose folders this one shares. */
    private host: IdeFixture | undefined;
    private port: number | undefined;

    private constructor(
        readonly root: string,
        private readonly sample: Sample,
        private readonly options: IdeOptions
    ) {}

    static async start(options: IdeOptions = {}): Promise<IdeFixture> {
        const root = await makeRoot(options.root);
        const { modelPort = NO_MODEL, gettingStarted } = options;
        const ide = new IdeFixture(root, prepareSample({ directory: root, modelPort, gettingStarted }), options);
        try {
            for (const [name, content] of Object.entries(options.files ?? {})) {
                await ide.write(name, content);
            }
            await options.prepare?.(ide);
            await ide.launch();
        } catch (error) {
            await ide.dispose();
            throw error;
        }
        return ide;
    }

    /**
     * Another backend of the same user, with the same HOME, TMPDIR and workspace. To be disposed before the first.
     */
    async startBeside(): Promise<IdeFixture> {
        const ide = new IdeFixture(this.root, this.sample, { ...this.options, inspectable: false });
        ide.host = this;
        await ide.launch();
        return ide;
    }

    /** Changes Theia's user settings, which the backend watches. */
    async changeSettings(changes: Record<string, unknown>): Promise<void> {
        const file = path.join(this.home, '.theia', 'settings.json');
        const settings = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, unknown>;
        // Theia (1.74) that reads a file which is being written takes the sample's trust for changed, and asks in a dialog whether to restart.
        await fs.writeFile(`${file}.new`, JSON.stringify({ ...settings, ...changes }));
        await fs.rename(`${file}.new`, file);
    }

    /** HOME of the backend, and so of its terminals. */
    get home(): string {
        return this.sample.home;
    }

    get tmpdir(): string {
        return this.sample.tmpdir;
    }

    /** What the backend and its terminals run with. */
    get env(): NodeJS.ProcessEnv {
        return { NODE_COMPILE_CACHE: COMPILED_FOLDER, ...this.sample.env, ...this.options.environment };
    }

    /** Absolute, without symbolic links. */
    get workspace(): string {
        return this.sample.workspace;
    }

    /** Of the backend, or of its separate parent. */
    get pid(): number {
        return this.process.pid;
    }

    get log(): string {
        return this.logBefore + (this.process?.log ?? '');
    }

    file(name: string): string {
        return path.join(this.workspace, name);
    }

    read(name: string): Promise<string> {
        return fs.readFile(this.file(name), 'utf8');
    }

    exists(name: string): Promise<boolean> {
        return fs.access(this.file(name)).then(
            () => true,
            () => false
        );
    }

    async write(name: string, content: string): Promise<void> {
        await fs.mkdir(path.dirname(this.file(name)), { recursive: true });
        await fs.writeFile(this.file(name), content);
    }

    async remove(name: string): Promise<void> {
        await fs.rm(this.file(name));
    }

    /** Ends the backend; its folders stay. */
    async end(signal: NodeJS.Signals): Promise<ProcessExit> {
        return this.process.end(signal);
    }

    /** Starts the backend again in the same folders, on another port or, as a page needs it that was open, on the same. */
    async restart(samePort = false): Promise<void> {
        this.logBefore += this.process.log;
        const before = this.port;
        this.port = samePort ? before : await takePort();
        if (before !== undefined && this.port !== before) {
            giveBackPort(before);
        }
        await this.launch();
    }

    /** Has Node open its inspector, on a free port, and tells where. */
    async inspectorUrl(): Promise<string> {
        process.kill(this.pid, 'SIGUSR1');
        return (await this.process.waitForLog(/Debugger listening on (ws:\S+)/))[1];
    }

    async dispose(): Promise<void> {
        await this.process?.end('SIGTERM');
        if (this.port !== undefined) {
            giveBackPort(this.port);
        }
        if (this.host) {
            return;
        }
        await fs.rm(this.root, { recursive: true, force: true, maxRetries: 5 });
    }

    private async launch(): Promise<void> {
        this.port ??= await takePort();
        const { inspectable, application = APP_FOLDER, main = 'lib/backend/main.js', hostname = '127.0.0.1' } = this.options;
        const { within = [] } = this.options;
        const [command, ...args] = [
            ...within,
            nodeForClis(),
            ...(inspectable ? ['--inspect-port=127.0.0.1:0'] : []),
            main,
            this.workspace,
            '--hostname',
            hostname,
            '--port',
            String(this.port)
        ];
        const umask = process.umask();
        try {
            process.umask(this.options.umask ?? umask);
            this.process = new OwnedProcess('The backend', command, args, { cwd: application, env: this.env });
        } finally {
            process.umask(umask);
        }
        await this.process.waitForLog(/Theia app listening on http/);
        this.url = `http://127.0.0.1:${this.port}`;
    }
}
