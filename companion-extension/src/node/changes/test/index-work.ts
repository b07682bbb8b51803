// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import { randomUUID } from 'crypto';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { hunksOf, LineHunk } from '../../../common/diff/line-hunks';
import { decodeRaw } from '../../../common/diff/raw-text';
import { IndexLimits } from '../index-limits';
import { IndexRow } from '../index-row';
import { ListedRow } from '../index-rows';
import { IndexOptions } from '../private-index';
import { RootIndex } from '../root-index';

const SECRET = /(^|\/)(\.env(\.[^/]*)?|[^/]*\.(pem|key)|id_(rsa|ed25519)|\.netrc)$/;
const GIT_SETTINGS = `[user]
name = Ann
email = ann@example.org
[init]
defaultBranch = main
[protocol "file"]
allow = always
[advice]
detachedHead = false
`;

/** The clock of files may be so late: it counts in steps. */
const TICK_MS = 12;

interface WorkOptions {
    readonly program?: string;
    readonly limits?: Partial<IndexLimits>;
}

/** A folder with real git in it, an agent and a user who work there, and its private index. */
export class IndexWork {
    protected static base = '';
    protected static homeBefore: string | undefined;
    protected static count = 0;
    protected static readonly indexes: RootIndex[] = [];

    readonly folder = path.join(IndexWork.base, String(++IndexWork.count));
    root = path.join(this.folder, 'ws');
    readonly home = path.join(this.folder, 'home');
    index: RootIndex;

    /** Gives this process a HOME of its own, with settings for git. */
    static begin(): void {
        this.base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'companion-index-')));
        this.homeBefore = process.env['HOME'];
        process.env['HOME'] = path.join(this.base, 'home');
        fs.mkdirSync(process.env['HOME']);
        fs.writeFileSync(path.join(process.env['HOME'], '.gitconfig'), GIT_SETTINGS);
    }

    static end(): void {
        process.env['HOME'] = this.homeBefore;
        fs.rmSync(this.base, { recursive: true, force: true });
    }

    static closeAll(): void {
        this.indexes.splice(0).forEach(index => index.close());
    }

    constructor(hasGit = true) {
        fs.mkdirSync(this.root, { recursive: true });
        fs.mkdirSync(this.home, { mode: 0o700 });
        if (hasGit) {
            this.sh('git init -q .');
        }
        this.index = this.open();
    }

    /** As a new backend does. */
    open({ program, limits }: WorkOptions = {}, root = this.root): RootIndex {
        const options: IndexOptions = { isSecret: file => SECRET.test(file), ...(program && { program }), ...(limits && { limits }) };
        const index = new RootIndex(root, this.home, options);
        IndexWork.indexes.push(index);
        return index;
    }

    reopen(options?: WorkOptions): void {
        this.index.close();
        this.index = this.open(options);
    }

    async start(options?: WorkOptions, agentSince?: number): Promise<void> {
        this.index = this.open(options);
        await sleep(TICK_MS);
        await this.index.start(agentSince);
        await sleep(TICK_MS);
    }

    /** Runs commands. @returns what they print */
    sh(command: string, cwd = this.root): string {
        return execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });
    }

    put(name: string, text: string | Buffer, mode?: number): this {
        const file = path.join(this.root, name);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text, { mode });
        return this;
    }

    commit(message = 'c'): this {
        this.sh(`git add -A && git commit -qm ${message}`);
        return this;
    }

    /** @returns `undefined` if there is no file */
    read(name: string): string | undefined {
        const file = path.join(this.root, name);
        return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
    }

    /** @returns the list in words */
    async look(): Promise<string> {
        await this.index.look();
        return this.list();
    }

    list(): string {
        return this.listed.map(({ path: file, row, canUndo }) => `${file}:${wordsOf(row)}${canUndo ? '' : ' (no undo)'}`).join(', ');
    }

    get listed(): ListedRow[] {
        const place = ({ row }: ListedRow): number =>
            row.kind === 'folder' || row.kind === 'repository' ? 2 : row.how === 'added' || !/^(file|mode|link)$/.test(row.kind) ? 1 : 0;
        return this.index.list().sort((one, other) => place(one) - place(other) || (one.path < other.path ? -1 : 1));
    }

    row(name: string): ListedRow {
        return this.index.list().find(({ path: file }) => file === name) ?? expect.fail(`${name} is not listed`);
    }

    undo(name: string): Promise<boolean> {
        return this.index.undo(name, this.row(name).version, randomUUID());
    }

    keep(name: string, hunk?: LineHunk): Promise<boolean> {
        return this.index.keep(name, this.row(name).version, hunk);
    }

    /** @returns the files that failed, each with the reason */
    async undoAll(): Promise<string[]> {
        const set = randomUUID();
        const undo = async ({ path: file, version }: ListedRow): Promise<string | undefined> => {
            try {
                return (await this.index.undo(file, version, set)) ? undefined : file;
            } catch (error) {
                return `${file} ${(error as NodeJS.ErrnoException).code}`;
            }
        };
        const failed = await Promise.all(
            this.index
                .list()
                .filter(({ canUndo }) => canUndo)
                .map(undo)
        );
        return failed.filter(file => file !== undefined).sort();
    }

    async keepAll(): Promise<void> {
        await Promise.all(this.index.list().map(({ path: file, version }) => this.index.keep(file, version)));
    }

    /** As the IDE saves: what stood there before and after is known, and nothing else is waited for. */
    async save(name: string, text: string): Promise<void> {
        const file = path.join(this.root, name);
        const from = fs.existsSync(file) ? fs.readFileSync(file) : null;
        fs.writeFileSync(file, text);
        await this.index.foldSave(name, from, Buffer.from(text));
    }

    async textBefore(name: string): Promise<string | null | undefined> {
        const bytes = await this.index.bytesBefore(name);
        return bytes && decodeRaw(bytes);
    }

    async hunks(name: string): Promise<LineHunk[]> {
        return hunksOf((await this.textBefore(name)) ?? null, this.read(name) ?? null);
    }

    /** The contents of all objects that are stored for the root. */
    storedBlobs(): string[] {
        const git = `git --git-dir='${this.index.folder}'`;
        const lines = this.sh(`${git} cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)'`).split('\n');
        const ids = lines.filter(line => line.endsWith(' blob')).map(line => line.split(' ')[0]);
        return ids.map(id => this.sh(`${git} cat-file blob ${id}`));
    }

    isClean(): boolean {
        return this.sh('git status --porcelain') === '';
    }

    /** All below a folder: names, contents, modes and times. */
    stateOf(folder = '.git'): string {
        return this.sh(`find ${folder} -printf '%p %T@ %s %m\\n' | sort; find ${folder} -type f -exec sha1sum {} + | sort`);
    }
}

/** A test: what `play` has seen is what was expected. */
export function scenario(id: string, title: string, expected: unknown, play: () => Promise<unknown>): void {
    it(`${id}: ${title}`, async () => {
        expect(await play()).to.deep.equal(expected);
    });
}

export function sleep(ms: number): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, ms));
}

function wordsOf({ kind, how, base, now, files }: IndexRow): string {
    const names = { modified: '', added: ', new', deleted: ', deleted' };
    switch (kind) {
        case 'file':
            return how === 'modified' && base?.mode !== now?.mode ? 'modified, mode' : how;
        case 'mode':
            return `mode ${base?.mode} to ${now?.mode}`;
        case 'link':
            return base?.mode === '120000' ? 'link replaced by a file' : 'link instead of a file';
        case 'unknown':
            return 'text before not known';
        case 'folder':
            return `new folder, ${files?.length} files`;
        case 'repository':
            return 'repository';
        case 'ignored':
            return 'ignored deleted';
        case 'secret':
            return `name only${names[how]}`;
        case 'large':
            return `large${names[how]}`;
    }
}
