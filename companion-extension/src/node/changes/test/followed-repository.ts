// SPDX-License-Identifier: Apache-2.0

import { execFile, execFileSync } from 'child_process';
import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { FileAccess } from '../../host/file-access';
import { FolderChanges } from '../folder-changes';
import { ActiveAgent } from '../active-agent-contribution';

export const LINES = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';

/** Longer than an agent counts for what is changed after it has worked, in milliseconds. */
const RESTED_MS = 6_000;

/** A repository with two branches, whose changes are followed; an agent works in it. */
export class FollowedRepository {
    protected readonly top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-followed-')));
    readonly root = path.join(this.top, 'repo');
    changes: FolderChanges;
    agent: ActiveAgent | undefined = { name: 'Claude Code', activeAt: Infinity };
    otherAgents: readonly ActiveAgent[] = [];

    async make(): Promise<this> {
        fs.mkdirSync(this.root);
        ['a.txt', 'b.txt', 'c.txt'].forEach(name => this.write(name, LINES));
        this.git('init', '-q', '-b', 'main');
        this.git('add', '-A');
        this.git('commit', '-q', '-m', 'first');
        this.git('checkout', '-q', '-b', 'other');
        this.writeFolder('many');
        this.git('add', '-A');
        this.git('commit', '-qm', 'many');
        this.git('checkout', '-q', 'main');
        await this.start();
        return this;
    }

    async remove(): Promise<void> {
        await this.changes.stop(true);
        fs.rmSync(this.top, { recursive: true, force: true });
    }

    protected async start(): Promise<void> {
        this.changes = this.follow();
        this.changes.setAgent(true);
        while (!this.changes.tracking) {
            await pause(20);
        }
        await this.changes.look();
    }

    /** As a backend does that starts. */
    follow(): FolderChanges {
        return new FolderChanges(this.root, {
            fileAccess: new FileAccess(5_000),
            home: path.join(this.top, 'home'),
            logger: { warn: async () => undefined },
            agents: () => [...(this.agent ? [this.agent] : []), ...this.otherAgents],
            moveToTrash: async () => undefined,
            takeAccepted: async () => undefined,
            onDidChange: () => undefined
        });
    }

    /** What stands on disk now is the baseline. */
    async restart(): Promise<void> {
        await this.changes.stop(true);
        await this.start();
    }

    git(...args: string[]): string {
        return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
            cwd: this.root,
            encoding: 'utf8',
            stdio: 'pipe'
        });
    }

    /** Runs commands while the test goes on; nobody asks whether they fail. */
    run(command: string): Promise<void> {
        const env = {
            ...process.env,
            GIT_AUTHOR_NAME: 'T',
            GIT_AUTHOR_EMAIL: 't@e.org',
            GIT_COMMITTER_NAME: 'T',
            GIT_COMMITTER_EMAIL: 't@e.org'
        };
        return new Promise(resolve => execFile('sh', ['-c', command], { cwd: this.root, env }, () => resolve()));
    }

    file(...names: string[]): string {
        return path.join(this.root, ...names);
    }

    write(name: string, text: string): void {
        fs.writeFileSync(this.file(name), text);
    }

    /** One line of a file becomes another one. */
    writeLine(name: string, line: string): void {
        this.write(name, LINES.replace('b\n', `${line}\n`));
    }

    /** A new folder, of so many files that it is listed as one row. */
    writeFolder(name: string): void {
        fs.mkdirSync(this.file(name));
        for (let index = 0; index < 40; index++) {
            this.write(path.join(name, `${index}.txt`), 'x\n');
        }
    }

    /** As the page lists them: what happened, their names, their agents. */
    list(): string[] {
        return this.changes.files
            .map(({ uri, kind, authors, group, isCommitted, canUndo }) =>
                [
                    kind,
                    path.basename(uri),
                    ...authors,
                    ...(group ? [group] : []),
                    ...(isCommitted ? ['isCommitted'] : []),
                    ...(canUndo ? [] : ['noUndo'])
                ].join(' ')
            )
            .sort();
    }

    /** The agent works again, or another one does. */
    works(name = 'Claude Code'): void {
        this.agent = { name, activeAt: Infinity };
    }

    /** The agent rests for longer than it counts for what is changed. */
    hasRested(): void {
        this.agent = { name: 'Claude Code', activeAt: performance.now() - RESTED_MS };
    }

    /** The agent stops working now, and rests for longer than it counts: what it wrote before is as old. */
    async rests(): Promise<void> {
        this.agent = { name: 'Claude Code', activeAt: performance.now() };
        await pause(RESTED_MS);
    }

    /** The agent writes, is seen, and has rested for a while when git comes. */
    async agentWrote(name = 'a.txt'): Promise<void> {
        this.writeLine(name, 'AGENT');
        await this.changes.look();
        expect(this.list()).to.deep.equal([`modified ${name} Claude Code`]);
        this.hasRested();
        await this.changes.look();
    }
}

export function pause(ms: number): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, ms));
}
