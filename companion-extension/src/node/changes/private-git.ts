// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, execFile, spawn } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { fromName, splitOutput } from './index-entry';
import { IndexLimits } from './index-limits';
import { readText, UserRepository } from './user-repository';

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** What is written to a process at once. */
const CHUNK_CHARACTERS = 64 * 1024;
/** The first git that stores all large files of one call in one pack: earlier ones make a pack for each. */
const ONE_PACK_VERSION = 2.38;
/** Files are taken as they are: nothing converts them. (`-working-tree-encoding` is refused by git 2.39: it must be `!`.) */
const ATTRIBUTES = '* -text !eol !crlf -filter -ident !working-tree-encoding\n';

type Variables = Readonly<Record<string, string | undefined>>;

interface GitCall {
    /** Its standard input: a character is a byte. */
    readonly input?: string;
    /** Beside those of {@link PrivateGit}. */
    readonly env?: Variables;
    readonly cwd?: string;
    /** In milliseconds; {@link IndexLimits.lookMs} if it is left out. */
    readonly limitMs?: number;
}

/** A process whose records are taken as they come: a list of 100,000 files is never held. */
export interface GitStream {
    /** @param source is paused while the process does not read */
    write(text: string, source?: GitStream): void;
    end(): void;
    pause(): void;
    resume(): void;
    readonly done: Promise<void>;
}

/** git could not be run, took too long, or refused. */
export class GitError extends Error {
    /**
     * @param code its exit code, or the system's, such as `ENOENT`
     * @param isOverdue it was ended by its limit
     */
    constructor(
        readonly args: readonly string[],
        readonly code: string | number | undefined,
        readonly isOverdue: boolean,
        readonly stderr: string
    ) {
        super(`git ${args[0]} ${isOverdue ? 'took too long' : `ended with ${code}`}: ${stderr.trim().slice(0, 500)}`);
    }

    /** A folder that is gone has the same code. Only the question for the version is asked in none. */
    get isMissingGit(): boolean {
        return this.code === 'ENOENT' && this.args[0] === 'version';
    }
}

/**
 * A git directory of our own, and git run with it. The user's repository is never git's directory: only its objects are read, and only by
 * processes that write nothing, because one that writes touches the times of the user's packs. No filter, hook or program of anybody runs.
 */
export class PrivateGit {
    protected version: number | undefined;

    /**
     * @param folder ours; made by {@link prepare}
     * @param top the work tree
     * @param repository of the work tree, if it is the user's
     * @param program git
     */
    constructor(
        readonly folder: string,
        readonly top: string,
        readonly repository: UserRepository | undefined,
        protected readonly limits: IndexLimits,
        protected readonly program = 'git'
    ) {}

    /** In characters. */
    get idLength(): number {
        return this.objectFormat === 'sha256' ? 64 : 40;
    }

    get objectFormat(): 'sha1' | 'sha256' {
        return this.repository?.objectFormat ?? 'sha1';
    }

    get indexFile(): string {
        return path.join(this.folder, 'index');
    }

    /** Where attributes are as the user has them. */
    get attributesFolder(): string {
        return path.join(this.folder, 'attr');
    }

    /** For processes that read the user's objects, too. */
    get readingObjects(): Variables {
        const objects = this.repository?.objectsFolder.replace(/["\\]/g, '\\$&');
        return objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects}"` };
    }

    /** Makes the folder, or brings it up to date: what the user ignores may have changed. */
    async prepare(): Promise<void> {
        for (const name of ['', 'objects', 'refs', 'info', 'attr/objects', 'attr/refs', 'attr/info']) {
            await fs.mkdir(path.join(this.folder, name), { recursive: true, mode: 0o700 });
        }
        this.version ??= Number(/(\d+\.\d+)/.exec(await this.run(['version'], { env: { GIT_DIR: undefined }, cwd: '/' }))?.[1] ?? 0);
        const settings = await this.userSettings();
        const home = os.homedir();
        const ignore =
            settings.get('core.excludesfile') ?? path.join(process.env['XDG_CONFIG_HOME'] ?? path.join(home, '.config'), 'git', 'ignore');
        const attributes = settings.get('core.attributesfile') ?? '/dev/null';
        await this.put('HEAD', 'ref: refs/heads/none\n');
        await this.put('attr/HEAD', 'ref: refs/heads/none\n');
        await this.put('config', this.config('/dev/null'));
        await this.put('attr/config', this.config(attributes));
        await this.put('info/attributes', ATTRIBUTES);
        await this.put('info/user-ignore', (await readText(ignore)) ?? '');
        await this.put('info/exclude', (await this.repository?.read('info', 'exclude')) ?? '');
        await this.put('attr/info/attributes', (await this.repository?.read('info', 'attributes')) ?? '');
        await this.removeOldLock();
    }

    /**
     * @param args what follows `--` are names in the index
     * @returns what it writes: a character is a byte. Rejects with a {@link GitError}.
     */
    run(args: readonly string[], { input = '', env, cwd = this.top, limitMs = this.limits.lookMs }: GitCall = {}): Promise<string> {
        return new Promise((resolve, reject) => {
            const options = { cwd, env: this.environment(env), maxBuffer: MAX_OUTPUT_BYTES, timeout: limitMs, encoding: 'latin1' as const };
            const child = execFile(this.program, withNames(args), options, (error, output, stderr) => {
                if (error) {
                    reject(new GitError(args, error.code ?? undefined, error.killed === true, stderr));
                } else {
                    resolve(output);
                }
            });
            child.stdin?.on('error', () => undefined);
            // Even an empty text raises SIGPIPE if git has ended by then, and Theia (1.74) logs that as an error.
            if (input) {
                child.stdin?.write(input, 'latin1');
            }
            child.stdin?.end();
        });
    }

    /**
     * @param record what is taken from the output; sticky
     * @param take is called for each
     */
    stream(args: readonly string[], env: Variables, record: RegExp, take: (found: RegExpExecArray) => void): GitStream {
        const child = spawn(this.program, [...args], {
            cwd: this.top,
            env: this.environment(env),
            stdio: ['pipe', 'pipe', 'ignore'],
            timeout: this.limits.startMs
        });
        let [rest, pending] = ['', ''];
        let isPaused = false;
        child.stdout.setEncoding('latin1');
        child.stdin.on('error', () => undefined);
        child.stdout.on('data', (data: string) => {
            rest += data;
            let end = 0;
            for (record.lastIndex = 0; ; end = record.lastIndex) {
                const found = record.exec(rest);
                if (!found) {
                    break;
                }
                take(found);
            }
            rest = rest.slice(end);
            // Else Node reads up to 2 MB before anybody else has a turn.
            child.stdout.pause();
            setImmediate(() => isPaused || child.stdout.resume());
        });
        const flush = (source?: GitStream): void => {
            if (pending && !child.stdin.write(pending, 'latin1')) {
                source?.pause();
                child.stdin.once('drain', () => source?.resume());
            }
            pending = '';
        };
        const done = new Promise<void>((resolve, reject) => {
            child.on('error', reject);
            child.on('close', code => (code === 0 ? resolve() : reject(new GitError(args, code ?? undefined, code === null, ''))));
        });
        // Whoever waits for it later hears of it then.
        done.catch(() => undefined);
        return {
            write: (text, source) => {
                pending += text;
                if (pending.length > CHUNK_CHARACTERS) {
                    flush(source);
                }
            },
            end: () => {
                flush();
                child.stdin.end();
            },
            pause: () => {
                isPaused = true;
                child.stdout.pause();
            },
            resume: () => {
                isPaused = false;
                child.stdout.resume();
            },
            done
        };
    }

    /** Starts a process that reads objects, until it is ended. */
    startObjectReader(): ChildProcess {
        const env = this.environment(this.readingObjects);
        return spawn(this.program, ['cat-file', '--batch'], { cwd: this.top, env, stdio: ['pipe', 'pipe', 'ignore'] });
    }

    protected environment(extra: Variables = {}): NodeJS.ProcessEnv {
        const others = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
        return {
            ...Object.fromEntries(others),
            LC_ALL: 'C',
            HOME: this.folder,
            XDG_CONFIG_HOME: this.folder,
            GIT_DIR: this.folder,
            GIT_WORK_TREE: this.top,
            GIT_CONFIG_NOSYSTEM: '1',
            GIT_CONFIG_GLOBAL: '/dev/null',
            GIT_ATTR_NOSYSTEM: '1',
            GIT_NO_LAZY_FETCH: '1',
            GIT_TERMINAL_PROMPT: '0',
            GIT_LITERAL_PATHSPECS: '1',
            ...extra
        };
    }

    /** The files with what the user ignores and has attributes for. */
    protected async userSettings(): Promise<Map<string, string>> {
        const found = new Map<string, string>();
        const { HOME, XDG_CONFIG_HOME } = process.env;
        const env = {
            GIT_DIR: undefined,
            GIT_WORK_TREE: undefined,
            GIT_CONFIG_GLOBAL: undefined,
            GIT_CONFIG_NOSYSTEM: undefined,
            HOME,
            XDG_CONFIG_HOME
        };
        const ofRepository = this.repository ? [['--file', path.join(this.repository.commonFolder, 'config')]] : [];
        for (const place of [['--system'], ['--global', '--includes'], ...ofRepository]) {
            const args = ['config', ...place, '--type=path', '-z', '--get-regexp', '^core\\.(excludesfile|attributesfile)$'];
            // It has none, or has no such file.
            const output = await this.run(args, { env, cwd: '/' }).catch(error => (error.code === 1 ? '' : Promise.reject(error)));
            for (const entry of splitOutput(output)) {
                const [key, value] = entry.split('\n');
                found.set(key, fromName(value));
            }
        }
        return found;
    }

    protected config(attributesFile: string): string {
        const isSha256 = this.objectFormat === 'sha256';
        const sections = {
            core: {
                repositoryformatversion: isSha256 ? 1 : 0,
                bare: false,
                filemode: true,
                symlinks: true,
                autocrlf: false,
                fsmonitor: false,
                untrackedCache: false,
                splitIndex: false,
                hooksPath: '/dev/null',
                attributesFile,
                excludesFile: path.join(this.folder, 'info', 'user-ignore'),
                ...((this.version ?? 0) >= ONE_PACK_VERSION && { bigFileThreshold: 1 }),
                compression: 1,
                logAllRefUpdates: false,
                quotePath: false,
                fsync: 'none',
                sharedRepository: '0600'
            },
            gc: { auto: 0 },
            index: { version: 2 },
            feature: { manyFiles: false },
            submodule: { recurse: false },
            ...(isSha256 && { extensions: { objectFormat: 'sha256' } })
        };
        return Object.entries(sections)
            .flatMap(([section, values]) => [`[${section}]`, ...Object.entries(values).map(([key, value]) => `${key}=${quoted(value)}`)])
            .map(line => `${line}\n`)
            .join('');
    }

    protected async put(name: string, text: string): Promise<void> {
        const file = path.join(this.folder, name);
        if ((await readText(file)) !== text) {
            await fs.writeFile(file, text, { mode: 0o600 });
        }
    }

    /** A process that was killed may have left it. No call of a look takes longer than its limit. */
    async removeOldLock(): Promise<void> {
        const lock = `${this.indexFile}.lock`;
        const stat = await fs.stat(lock).catch(() => undefined);
        if (stat && Date.now() - stat.mtimeMs > this.limits.lookMs) {
            await fs.rm(lock, { force: true });
        }
    }
}

/** Node writes arguments as UTF-8, so a name must not come as bytes. */
function withNames(args: readonly string[]): string[] {
    const names = args.indexOf('--');
    return args.map((arg, index) => (names >= 0 && index > names ? fromName(arg) : arg));
}

function quoted(value: string | number | boolean): string {
    return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}
