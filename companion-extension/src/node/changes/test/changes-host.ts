// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { FileSystemWatcherServer } from '@theia/filesystem/lib/common/filesystem-watcher-protocol';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { FileChange } from '../../../common/changes/changes-protocol';
import { hunksOf, undoHunk, withLinesOf } from '../../../common/diff/line-hunks';
import { decodeRaw, encodeRaw, fromWire, toWire } from '../../../common/diff/raw-text';
import { BackendPreferences } from '../../../common/companion-preferences';
import { WindowSnapshot } from '../../../common/companion-protocol';
import { TestHost } from '../../discovery/test/test-host';
import { TestBackend, TestConnection } from '../../test/test-backend';
import { eventually, TestCli } from '../../test/test-cli';
import { TestPage } from '../../test/test-page';
import { IdeWrites } from '../ide-writes';

/** Theia's part that tells of changes on disk. Here the test does. */
const SILENT_WATCHER: Partial<FileSystemWatcherServer> = { setClient: () => undefined, dispose: () => undefined };

export const TEN_LINES = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';

/** A backend with one page in a repository, and a CLI that is connected. */
export class ChangesHost {
    readonly host = new TestHost();
    readonly page = new TestPage();
    backend: TestBackend;
    connection: TestConnection;
    cli: TestCli | undefined;
    provider: DiskFileSystemProvider;

    /** @param prepare binds some of the backend anew */
    async start(isTrusted = true, prepare?: (backend: TestBackend) => void): Promise<this> {
        this.backend = new TestBackend(this.host);
        prepare?.(this.backend);
        const { container } = this.backend;
        container.bind(EncodingService).toSelf();
        container.bind(FileSystemWatcherServer).toConstantValue(SILENT_WATCHER);
        container.bind(DiskFileSystemProvider).toSelf();
        this.provider = container.get(IdeWrites).follow(container.get(DiskFileSystemProvider));
        this.connection = this.backend.connect(this.page);
        this.page.state = await this.service.hello(this.backend.window(this.page));
        await this.service.updateContext({ sequence: 1, context: { workspaceState: { openFiles: [], isTrusted } } });
        return this;
    }

    /** With these files, which nobody has committed yet. */
    makeRepository(...names: string[]): this {
        this.git('init', '-q', '-b', 'main');
        for (const name of names) {
            fs.mkdirSync(path.dirname(this.file(name)), { recursive: true });
            fs.writeFileSync(this.file(name), TEN_LINES);
        }
        return this;
    }

    get service(): TestConnection['service'] {
        return this.connection.service;
    }

    /** The user changes settings. */
    async prefer(changed: Partial<BackendPreferences>): Promise<void> {
        const { preferences } = this.backend.window(this.page);
        await this.service.hello(this.backend.window(this.page, { preferences: { ...preferences, ...changed } }));
    }

    /** The settings say which files are never shared. */
    async exclude(...excludes: WindowSnapshot['excludes']): Promise<void> {
        await this.service.hello(this.backend.window(this.page, { excludes }));
    }

    async startAgent(): Promise<void> {
        const { port, token } = this.backend.discovered();
        this.cli = await TestCli.connect(port, token);
        await eventually('tracking', async () => (await this.service.readChanges(false)).tracking);
    }

    git(...args: string[]): string {
        const options = { cwd: this.host.homeFolder, stdio: 'pipe', encoding: 'utf8' } as const;
        return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'core.excludesFile=', ...args], options);
    }

    commit(): void {
        this.git('add', '-A');
        this.git('commit', '-q', '-m', 'a commit');
    }

    file(name: string): string {
        return this.host.home(name);
    }

    uri(name: string): string {
        return FileUri.create(this.file(name)).toString();
    }

    read(name: string): string {
        return fs.readFileSync(this.file(name), 'utf8');
    }

    bytes(name: string): Buffer {
        return fs.readFileSync(this.file(name));
    }

    /** Outside the editor, as the watcher tells it. */
    write(name: string, text: string | Buffer): void {
        fs.mkdirSync(path.dirname(this.file(name)), { recursive: true });
        fs.writeFileSync(this.file(name), text);
        this.tell(name);
    }

    remove(name: string): void {
        fs.rmSync(this.file(name));
        this.tell(name);
    }

    tell(...names: string[]): void {
        const { onDidChangeEmitter } = this.backend.container.get(IdeWrites) as unknown as { onDidChangeEmitter: Emitter<string> };
        names.forEach(name => onDidChangeEmitter.fire(this.file(name)));
    }

    /** In an editor of the IDE. */
    async save(name: string, text: string): Promise<void> {
        const content = encodeRaw(text);
        await this.provider.writeFile(FileUri.create(this.file(name)), content, { create: true, overwrite: true });
        this.tell(name);
    }

    /** As the page lists them: what happened, their names, lines. */
    async list(look = false): Promise<string[]> {
        const { files } = await this.service.readChanges(look);
        return files
            .map(({ uri, kind, authors, added, removed, group, isCommitted }) =>
                [
                    kind,
                    path.relative(this.host.homeFolder, FileUri.fsPath(uri)),
                    ...(added === undefined ? [] : [`+${added} -${removed}`]),
                    // The only agent there is.
                    ...authors.filter(name => name !== 'Qwen Code'),
                    ...(group ? [group] : []),
                    ...(isCommitted ? ['committed'] : [])
                ].join(' ')
            )
            .sort();
    }

    async lists(...expected: string[]): Promise<void> {
        let listed: string[] = [];
        const isAsExpected = async (): Promise<boolean> => {
            listed = await this.list();
            return JSON.stringify(listed) === JSON.stringify([...expected].sort());
        };
        await eventually(expected.join(', '), isAsExpected).catch(error => {
            throw new Error(`${error.message}; listed: ${listed.join(', ')}`);
        });
    }

    async row(name: string): Promise<FileChange> {
        const { files } = await this.service.readChanges(false);
        const found = files.find(({ uri }) => uri === this.uri(name));
        if (!found) {
            throw new Error(`${name} is not listed`);
        }
        return found;
    }

    /** As the page does it: a change in the file's editor, announced before, and saved; a whole file by the backend. @returns whether it was done */
    async undo(name: string, hunk?: number): Promise<boolean> {
        const { version, uri } = await this.row(name);
        if (hunk === undefined) {
            return (await this.service.undoFiles([{ uri, version }])).done.includes(uri);
        }
        const before = fromWire((await this.service.readBaseline(uri))?.text ?? '');
        const now = decodeRaw(this.bytes(name)) ?? '';
        const text = withLinesOf(undoHunk(before, now, hunksOf(before, now)[hunk]) ?? '', now);
        if (!(await this.service.mayUndoChange(uri, version, { text: toWire(text) }))) {
            return false;
        }
        await this.save(name, text);
        return true;
    }

    async stop(): Promise<void> {
        await this.cli?.disconnect();
        this.cli = undefined;
        await this.backend.servers.stop();
    }
}
