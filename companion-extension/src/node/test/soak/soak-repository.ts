// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
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
const LINE = 'a line of the file as it was committed\n';
const IGNORED = ['.qwen', '.gemini', '.claude', '.copilot', '.config', '.local'];

/** A large repository in which agents write without asking and a user saves, and the account of who wrote which file. */
export class SoakRepository {
    readonly counts = { written: 0, saved: 0 };
    /** Changes are followed: what was written before counts as the user's. */
    private isTracked = false;
    private isSaving = false;
    /** By the files that agents wrote, how often; 0 once it was kept. */
    private readonly writes = new Map<string, number>();
    /** Files that were listed although no agent wrote them: a save that waited for long may be listed until its turn comes. */
    private suspected = new Set<string>();
    /** Files that were not listed: a busy git may answer only the next look. */
    private missing = new Set<string>();
    private readonly faults: string[] = [];
    private readonly provider: DiskFileSystemProvider;

    constructor(
        private readonly backend: TestBackend,
        private readonly service: () => TestService | undefined
    ) {
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
        const git = (...args: string[]): unknown =>
            execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: this.backend.host.homeFolder });
        git('init', '-q', '-b', 'main');
        git('add', '-A');
        git('commit', '-q', '-m', 'a commit');
    }

    /** An agent writes without asking. */
    write(): void {
        if (!this.isTracked) {
            return;
        }
        const file = this.file(2 * this.random());
        fs.appendFileSync(file, `by an agent ${++this.counts.written}\n`);
        this.tell(file);
        this.writes.set(file, this.counts.written);
    }

    /** A user saves another file in the IDE: one after the other. */
    async save(): Promise<void> {
        if (this.isSaving) {
            return;
        }
        this.isSaving = true;
        const file = this.file(2 * this.random() + 1);
        const text = `${fs.readFileSync(file, 'utf8')}by the user ${++this.counts.saved}\n`;
        await this.provider.writeFile(FileUri.create(file), encodeRaw(text), { create: true, overwrite: true });
        this.tell(file);
        this.isSaving = false;
    }

    /** Looks as a user does, and keeps all. */
    async check(): Promise<void> {
        const service = this.service();
        const before = new Map(this.writes);
        const list = await service?.readChanges(true);
        this.isTracked ||= list?.tracking ?? false;
        if (!service || !list?.tracking) {
            return;
        }
        const listed = new Map(list.files.map(file => [FileUri.fsPath(file.uri), file]));
        const missing = [...before].filter(([file, write]) => write > 0 && !listed.has(file)).map(([file]) => file);
        missing.filter(file => this.missing.has(file)).forEach(file => this.fault(`a change of ${file} is missed`));
        this.missing = new Set(missing);
        const suspected = [...listed.keys()].filter(file => !this.writes.has(file));
        suspected.filter(file => this.suspected.has(file)).forEach(file => this.fault(`${file} is blamed on an agent`));
        this.suspected = new Set(suspected);
        for (const [file, { uri, version }] of listed) {
            if (!this.suspected.has(file) && (await service.keepChange(uri, version))) {
                // What was written since this look began may be kept, or is listed next time.
                this.writes.set(file, 0);
            }
        }
    }

    takeFaults(): string[] {
        return this.faults.splice(0);
    }

    /** What is kept of changes, in bytes. */
    get disk(): number {
        const folder = path.join(this.backend.host.configurationFolder, 'theia-cli-companion', 'changes');
        try {
            return fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
        } catch {
            return 0;
        }
    }

    private random(): number {
        return Math.floor((Math.random() * BUSY_FILES) / 2);
    }

    private file(index: number): string {
        return this.backend.host.home('src', String(Math.floor(index / FILES_OF_FOLDER)), `${index}.txt`);
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
