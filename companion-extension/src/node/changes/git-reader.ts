// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, execFile, ExecFileException, spawn } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { ChangesTrouble } from '../../common/changes/changes-protocol';
import { FileText } from '../../common/changes/line-hunks';
import { GitPosition, Repository } from './file-changes';
import { contentOf, hashOf } from './file-text';

const CALL_LIMIT_MS = 10_000;
/** How long a process that reads blobs waits for the next question. */
const IDLE_LIMIT_MS = 10_000;
const SLOW_STATUS_MS = 2_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
/** The repository's own configuration must not start a program for us, and nothing of it is locked. */
const READ_ONLY = ['--no-optional-locks', '-c', 'core.fsmonitor=false'];
/** `old new name <mail> time zone \t verb: what` */
const REFLOG_ENTRY = /^\S+ (\S+) .*\t([^:\n]*)/;

/** In a line of `git status --porcelain=v2`: of a changed file, and of one with conflicts. Else one. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, u: 10 };

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');

/** How a call of git failed. */
interface GitFailure {
    /** Its exit code, or why it could not be started; `null` after a signal. */
    readonly code?: number | string | null;
    readonly stderr?: string;
}

type GitFault = Exclude<ChangesTrouble['code'], 'off'>;

interface ReflogEntry {
    commit: string;
    verb: string;
}

/** A folder in a repository, read with the machine's git, and never written. Measured with git 2.39. */
export class GitReader implements Repository {
    /** `git status` takes long: it is not to be asked without a user who waits for it. */
    isSlow = false;
    /** How the last call of git failed. */
    protected failure: GitFault | undefined;
    protected blobs: BlobReader | undefined;
    protected readonly facts = new Map<string, string>();

    /**
     * @param folder its real path
     * @param isTrusted whether the user trusts the workspace: git runs what a repository's configuration says
     * @param textLimit of a blob, in bytes. The text of a larger one is not known
     * @param isNameOnly whether a file is known by its name alone
     */
    constructor(
        protected readonly folder: string,
        protected readonly isTrusted: () => boolean,
        protected readonly textLimit: number,
        protected readonly isNameOnly: (file: string) => boolean = () => false
    ) {}

    dispose(): void {
        this.blobs?.dispose();
    }

    /** What keeps git from saying what it knows. */
    get trouble(): ChangesTrouble | undefined {
        const code = this.failure ?? (this.isSlow ? 'slow' : undefined);
        return code && { code, root: this.folder };
    }

    async position(): Promise<GitPosition | undefined> {
        if (!this.isTrusted()) {
            return undefined;
        }
        const head = await this.head();
        if (head === undefined) {
            return undefined;
        }
        const [entries, stash] = await Promise.all([this.reflog('logs/HEAD'), this.reflog('logs/refs/stash')]);
        return { head, entries: entries.length, stash: stash.map(({ commit }) => commit).join(' ') };
    }

    /** @returns `undefined` without git, a repository or a commit. Rejects where git fails: it refuses a folder of another owner, or is late */
    protected async head(): Promise<string | undefined> {
        try {
            return await this.line(['rev-parse', '--verify', '--quiet', 'HEAD']);
        } catch (error) {
            const { code, stderr = '' } = error as GitFailure;
            if (code === 1 || code === 'ENOENT' || stderr.includes('not a git repository')) {
                return undefined;
            }
            throw error;
        }
    }

    async verbsSince({ entries, stash }: GitPosition): Promise<readonly string[]> {
        const [all, current] = await Promise.all([this.reflog('logs/HEAD'), this.position()]);
        const isCut = all.length < entries;
        const verbs = all.slice(entries).map(({ verb }) => (verb === 'commit (initial)' ? 'commit' : verb));
        return [...verbs, ...(isCut ? ['expire'] : []), ...(current?.stash !== stash ? ['stash'] : [])];
    }

    async dirtyPaths(): Promise<readonly string[]> {
        const prefix = await this.prefix();
        const start = performance.now();
        const output = await this.run(['status', '--porcelain=v2', '-z', '-uall', '--no-renames', '--ignore-submodules=all', '--', '.']);
        this.isSlow = performance.now() - start > SLOW_STATUS_MS;
        return split(output)
            .map(entry =>
                entry
                    .split(' ')
                    .slice(FIELDS_BEFORE_PATH[entry[0]] ?? 1)
                    .join(' ')
            )
            .filter(file => file.startsWith(prefix))
            .map(file => file.slice(prefix.length));
    }

    async changedPaths(from: string, to: string): Promise<readonly string[]> {
        return split(await this.run(['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--relative', from, to]));
    }

    async textIn(commit: string, file: string): Promise<FileText | undefined> {
        if (this.isNameOnly(file)) {
            return undefined;
        }
        const text = await this.blob(commit, file);
        return text === null && (await this.isOfOther(file)) ? undefined : text;
    }

    async has(file: string, hash: string, since: GitPosition): Promise<boolean> {
        if (hash === 'none') {
            return true;
        }
        const [head, stash] = await Promise.all([this.reflog('logs/HEAD'), this.reflog('logs/refs/stash')]);
        const commits = new Set([
            since.head,
            ...[...head.slice(since.entries), ...stash].map(({ commit }) => commit),
            ...since.stash.split(' ')
        ]);
        for (const commit of [...commits].filter(Boolean)) {
            const text = await this.blob(commit, file);
            if (text !== undefined && hashOf(text) === hash) {
                return true;
            }
        }
        return false;
    }

    /** Whether it puts CRLF at the ends of lines when it writes the file. */
    async writesCrlf(file: string): Promise<boolean> {
        const said = split(await this.run(['check-attr', '-z', '--stdin', 'eol', 'text'], file).catch(() => ''));
        // Of each attribute: the file, its name, its value.
        const [eol, text] = [said[2], said[5]];
        const isLeftOpen = eol !== 'lf' && text !== 'unset';
        return eol === 'crlf' || (isLeftOpen && (await this.line(['config', 'core.autocrlf']).catch(() => '')) === 'true');
    }

    /** Which of these files are ignored. Rejects where git does not say so: one path that it cannot judge, such as in a submodule, is enough. */
    async ignored(files: readonly string[]): Promise<ReadonlySet<string>> {
        if (files.length === 0 || !(await this.position())) {
            return new Set();
        }
        // It says no for all if one is in a repository within this one.
        const others = new Set<string>();
        const asked = new Map<string, Promise<boolean>>();
        for (const folder of new Set(files.map(file => path.dirname(file)))) {
            if (await this.isOfOther(path.join(folder, 'file'), asked)) {
                others.add(folder);
            }
        }
        const own = files.filter(file => !others.has(path.dirname(file)));
        try {
            return new Set(split(await this.run(['check-ignore', '-z', '--stdin'], own.join('\0'))));
        } catch (error) {
            if ((error as GitFailure).code === 1) {
                return new Set();
            }
            throw error;
        }
    }

    protected async blob(commit: string, file: string): Promise<FileText | undefined> {
        const name = this.isTrusted() ? `${commit}:${await this.prefix()}${file}` : '';
        if (name === '' || name.includes('\n')) {
            return undefined;
        }
        this.blobs ??= new BlobReader(this.folder, reader => this.forget(reader));
        const bytes = await this.blobs.read(name);
        // On disk is what it points to.
        return bytes?.subarray(0, LFS_POINTER.length).equals(LFS_POINTER) ? undefined : bytes ? contentOf(bytes, this.textLimit) : null;
    }

    protected forget(reader: BlobReader): void {
        if (this.blobs === reader) {
            this.blobs = undefined;
        }
    }

    /** Whether it is in a repository within this one, of which this one knows nothing. @param asked the folders that were asked before */
    protected async isOfOther(file: string, asked = new Map<string, Promise<boolean>>()): Promise<boolean> {
        for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
            const isRepository =
                asked.get(folder) ??
                fs.access(path.join(this.folder, folder, '.git')).then(
                    () => true,
                    () => false
                );
            asked.set(folder, isRepository);
            if (await isRepository) {
                return true;
            }
        }
        return false;
    }

    /** Where the folder is in the repository, with a slash at the end. */
    protected prefix(): Promise<string> {
        return this.fact(['rev-parse', '--show-prefix']);
    }

    protected async reflog(name: string): Promise<ReflogEntry[]> {
        const file = await this.fact(['rev-parse', '--git-path', name]);
        const text = await fs.readFile(path.resolve(this.folder, file), 'utf8').catch(() => '');
        return text.split('\n').flatMap(entry => {
            const [, commit, verb] = REFLOG_ENTRY.exec(entry) ?? [];
            return commit === undefined ? [] : [{ commit, verb }];
        });
    }

    /** A line that stays the same as long as there is a repository. */
    protected async fact(args: readonly string[]): Promise<string> {
        const key = args.join(' ');
        const known = this.facts.get(key) ?? (await this.line(args));
        this.facts.set(key, known);
        return known;
    }

    protected async line(args: readonly string[]): Promise<string> {
        return (await this.run(args)).replace(/\n$/, '');
    }

    protected run(args: readonly string[], input?: string): Promise<string> {
        if (!this.isTrusted()) {
            return Promise.reject(new Error('The workspace is not trusted'));
        }
        return new Promise((resolve, reject) => {
            const options = { cwd: this.folder, env: environment(), maxBuffer: OUTPUT_LIMIT_BYTES, timeout: CALL_LIMIT_MS };
            const git = execFile('git', [...READ_ONLY, ...args], options, (error, output, stderr) => {
                this.failure = error ? failureOf(error, stderr) : undefined;
                return error ? reject(Object.assign(error, { stderr })) : resolve(output);
            });
            git.stdin?.on('error', () => undefined);
            git.stdin?.end(input);
        });
    }
}

/** @returns `undefined` if it is none that the user can mend */
function failureOf({ code, killed }: ExecFileException, stderr: string): GitFault | undefined {
    return code === 'ENOENT' ? 'no-git' : killed ? 'slow' : stderr.includes('dubious ownership') ? 'refused' : undefined;
}

/** One process of git for many blobs: starting one takes longer than reading a hundred. */
class BlobReader {
    protected readonly git: ChildProcess;
    protected readonly waiting: Array<{ resolve(blob: Buffer | undefined): void; reject(error: Error): void }> = [];
    protected output = Buffer.alloc(0);
    protected readonly received: Buffer[] = [];
    protected receivedBytes = 0;
    /** Until so many bytes are there, nothing can be read of them. */
    protected neededBytes = 0;
    protected timer: NodeJS.Timeout | undefined;

    constructor(
        folder: string,
        protected readonly onEnd: (reader: BlobReader) => void
    ) {
        this.git = spawn('git', [...READ_ONLY, 'cat-file', '--batch'], {
            cwd: folder,
            env: environment(),
            stdio: ['pipe', 'pipe', 'ignore']
        });
        this.git.stdout?.on('data', (data: Buffer) => this.take(data));
        this.git.stdin?.on('error', () => undefined);
        this.git.on('error', error => this.end(error));
        this.git.on('close', () => this.end(new Error('git has ended')));
        this.rest();
    }

    /** @returns `undefined` if there is none */
    read(name: string): Promise<Buffer | undefined> {
        this.rest();
        return new Promise((resolve, reject) => {
            this.waiting.push({ resolve, reject });
            this.git.stdin?.write(`${name}\n`);
        });
    }

    dispose(): void {
        clearTimeout(this.timer);
        // The next question gets another process.
        this.onEnd(this);
        this.git.kill();
    }

    /** It ends when nothing is asked for a while, also when it does not answer. */
    protected rest(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.dispose(), IDLE_LIMIT_MS).unref();
    }

    protected end(error: Error): void {
        clearTimeout(this.timer);
        this.onEnd(this);
        this.waiting.splice(0).forEach(({ reject }) => reject(error));
    }

    protected take(data: Buffer): void {
        this.receivedBytes += data.length;
        this.received.push(data);
        if (this.receivedBytes < this.neededBytes) {
            return;
        }
        this.output = Buffer.concat(this.received);
        this.neededBytes = 0;
        while (this.takeBlob()) {
            // The next answer.
        }
        this.received.splice(0, this.received.length, this.output);
        this.receivedBytes = this.output.length;
    }

    /** @returns false if there is no whole answer */
    protected takeBlob(): boolean {
        const lineEnd = this.output.indexOf('\n');
        if (lineEnd < 0) {
            return false;
        }
        const [, type, size] = this.output.toString('utf8', 0, lineEnd).split(' ');
        const hasContent = ['blob', 'tree', 'commit', 'tag'].includes(type);
        const end = hasContent ? lineEnd + 1 + Number(size) + 1 : lineEnd + 1;
        if (this.output.length < end) {
            this.neededBytes = end;
            return false;
        }
        const content = Buffer.from(this.output.subarray(lineEnd + 1, end - 1));
        this.output = this.output.subarray(end);
        this.waiting.shift()?.resolve(type === 'blob' ? content : undefined);
        return true;
    }
}

/** Variables of git would name another repository. */
function environment(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
    return { ...Object.fromEntries(own), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' };
}

function split(output: string): string[] {
    return output.split('\0').filter(entry => entry !== '');
}
