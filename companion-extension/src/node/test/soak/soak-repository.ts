// SPDX-License-Identifier: Apache-2.0

import { execFile, execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { setTimeout } from 'timers/promises';
import { promisify } from 'util';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { encodeRaw } from '../../../common/diff/raw-text';
import { IdeWrites } from '../../changes/ide-writes';
import { TestBackend, TestService } from '../test-backend';

const FILES = 20_000;
const FILES_OF_FOLDER = 200;
/** Of the files, so many are written to: the others only make the repository large. */
const BUSY_FILES = 100;
const FILES_OF_BRANCH = 100;
const USER = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
const LINE = 'a line of the file as it was committed\n';
const IGNORED = ['.qwen', '.gemini', '.claude', '.copilot', '.config', '.local'];

/** A large repository in which agents write without asking and a user saves, and the account of who wrote which file. */
export class SoakRepository {
    readonly counts = { written: 0, saved: 0, savedBeside: 0 };
    /** Changes are followed: what was written before counts as the user's. */
    private isTracked = false;
    private isSaving = false;
    /** No agent writes. */
    private rests = false;
    /** Nobody writes or looks. */
    private isLeftAlone = false;
    /** The user keeps nothing, so that there is something to undo. */
    keeps = true;
    /** By the files that agents wrote, how often; 0 once it was kept. */
    private readonly writes = new Map<string, number>();
    /** What the user saved into files that agents write to, by file: nothing may take it away. */
    private readonly userLines = new Map<string, string[]>();
    /** Files that were listed although no agent wrote them: a save that waited for long may be listed until its turn comes. */
    private suspected = new Set<string>();
    /** Files that were not listed: a busy git may answer only the next look. */
    private missing = new Set<string>();
    private readonly faults: string[] = [];
    private readonly provider: DiskFileSystemProvider;

    constructor(private readonly backend: TestBackend) {
        const { container } = backend;
        this.provider = container.get(IdeWrites).follow(container.get(DiskFileSystemProvider));
    }

    /** Makes the files. */
    create(): void {
        for (let index = 0; index < FILES; index++) {
            const file = this.file(index);
            fs.mkdirSync(path.dirname(file), { recursive: true });
            fs.writeFileSync(file, `${index}\n${LINE.repeat(10)}`);
        }
        fs.writeFileSync(this.backend.host.home('.gitignore'), IGNORED.map(name => `/${name}\n`).join(''));
        this.gitNow('init', '-q', '-b', 'main');
        this.gitNow('add', '-A');
        this.gitNow('commit', '-q', '-m', 'a commit');
        this.gitNow('checkout', '-q', '-b', 'other');
        for (let index = BUSY_FILES; index < BUSY_FILES + FILES_OF_BRANCH; index++) {
            fs.appendFileSync(this.file(index), 'of another branch\n');
        }
        this.gitNow('commit', '-q', '-a', '-m', 'another branch');
        this.gitNow('checkout', '-q', 'main');
    }

    /** An agent writes without asking. */
    write(): void {
        const file = this.file(2 * this.random());
        if (!this.isTracked || this.rests || this.isSaving) {
            return;
        }
        fs.appendFileSync(file, `by an agent ${++this.counts.written}\n`);
        this.tell(file);
        this.writes.set(file, this.counts.written);
    }

    /** A user saves in the IDE, one file after the other: one that no agent writes to, and then one that agents write to. */
    async save(): Promise<void> {
        if (this.isSaving || this.isLeftAlone) {
            return;
        }
        this.isSaving = true;
        try {
            const own = this.file(2 * this.random() + 1);
            await this.put(own, `${fs.readFileSync(own, 'utf8')}by the user ${++this.counts.saved}\n`);
            const shared = this.file(2 * this.random());
            const line = `by the user, beside agents ${++this.counts.savedBeside}\n`;
            await this.put(shared, `${line}${fs.readFileSync(shared, 'utf8')}`);
            this.userLines.set(shared, [...(this.userLines.get(shared) ?? []), line]);
        } finally {
            this.isSaving = false;
        }
    }

    private async put(file: string, text: string): Promise<void> {
        await this.provider.writeFile(FileUri.create(file), encodeRaw(text), { create: true, overwrite: true });
        this.tell(file);
    }

    /** The agents stop writing, and begin again. */
    rest(rests: boolean): void {
        this.rests = rests;
    }

    /** Nobody writes meanwhile. */
    async alone(work: () => Promise<void>): Promise<void> {
        const { rests } = this;
        this.rests = this.isLeftAlone = true;
        try {
            while (this.isSaving) {
                await setTimeout(10);
            }
            await work();
            this.writes.forEach((_, file) => this.tell(file));
        } finally {
            this.rests = rests;
            this.isLeftAlone = false;
        }
    }

    /** As the user does, in a terminal. */
    async git(...args: string[]): Promise<void> {
        await promisify(execFile)('git', [...USER, ...args], { cwd: this.backend.host.homeFolder });
    }

    /** From now on, what was written may be listed or not. */
    forget(files: Iterable<string> = this.writes.keys()): void {
        [...files].forEach(file => this.writes.set(file, 0));
    }

    /** Looks as a user does, and keeps all. */
    async check(service: TestService | undefined): Promise<void> {
        if (this.isLeftAlone) {
            return;
        }
        if (!this.isSaving) {
            // A file that is being written is empty for a moment.
            this.checkUserLines();
        }
        const before = new Map(this.writes);
        const list = await service?.readChanges(true);
        this.isTracked ||= list?.tracking ?? false;
        if (!service || !list?.tracking || this.isLeftAlone) {
            return;
        }
        const listed = new Map(list.files.map(file => [FileUri.fsPath(file.uri), file]));
        // What was kept meanwhile is not missing, nor is what was committed by hand: on a busy machine this look may have begun before.
        const isOpen = ([file, write]: [string, number]): boolean => write > 0 && this.writes.get(file) === write;
        const missing = [...before].filter(entry => isOpen(entry) && !listed.has(entry[0])).map(([file]) => file);
        missing.filter(file => this.missing.has(file)).forEach(file => this.fault(`a change of ${file} is missed`));
        this.missing = new Set(missing);
        const suspected = [...listed.keys()].filter(file => !this.writes.has(file));
        for (const file of suspected.filter(each => this.suspected.has(each))) {
            this.fault(`${file} is blamed on an agent: ${JSON.stringify(listed.get(file))}`);
            // Once is enough.
            this.writes.set(file, 0);
        }
        this.suspected = new Set(suspected);
        if (!this.keeps) {
            return;
        }
        for (const [file, { uri, version }] of listed) {
            if (!this.suspected.has(file) && (await service.keepChange(uri, version))) {
                // What was written since this look began may be kept, or is listed next time.
                this.writes.set(file, 0);
            }
        }
    }

    private checkUserLines(): void {
        for (const [file, lines] of this.userLines) {
            const text = fs.readFileSync(file, 'utf8');
            const lost = lines.filter(line => !text.includes(line));
            if (lost.length > 0) {
                this.fault(`${file} has lost ${lost.join('')}`);
                this.userLines.delete(file);
            }
        }
    }

    takeFaults(): string[] {
        return this.faults.splice(0);
    }

    /** What is kept of changes, in bytes. */
    get disk(): number {
        const folder = path.join(this.backend.host.configurationFolder, 'theia-cli-companion');
        const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
        return files.reduce(
            (sum, file) => sum + (fs.statSync(path.join(file.parentPath, file.name), { throwIfNoEntry: false })?.size ?? 0),
            0
        );
    }

    private random(): number {
        return Math.floor((Math.random() * BUSY_FILES) / 2);
    }

    file(index: number): string {
        return this.backend.host.home('src', String(Math.floor(index / FILES_OF_FOLDER)), `${index}.txt`);
    }

    private gitNow(...args: string[]): void {
        execFileSync('git', [...USER, ...args], { cwd: this.backend.host.homeFolder });
    }

    /** As Theia's watcher does. */
    private tell(file: string): void {
        const { onDidChangeEmitter } = this.backend.container.get(IdeWrites) as unknown as { onDidChangeEmitter: Emitter<string> };
        onDidChangeEmitter.fire(file);
    }

    private fault(text: string): void {
        this.faults.push(`${new Date().toISOString()} ${text}`);
    }
}
