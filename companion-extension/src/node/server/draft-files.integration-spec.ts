// SPDX-License-Identifier: Apache-2.0

import { existsSync, readdirSync, statSync, utimesSync, writeFileSync, promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { TestHost } from '../discovery/test/test-host';
import { FileAccessQueues } from '../host/file-access-queues';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { draftOf, TestPage } from '../test/test-page';

describe('Drafts of a backend that has ended', () => {
    let host: TestHost;
    const backends: TestBackend[] = [];
    let page: TestPage;
    let connection: TestConnection;
    let cli: TestCli;
    let file: string;

    beforeEach(async () => {
        host = new TestHost();
        file = host.home('a.txt');
        await fs.writeFile(file, 'before\n');
        await start();
    });

    afterEach(async () => {
        sinon.restore();
        await cli.disconnect();
        for (const backend of backends.splice(0)) {
            await backend.stop();
        }
    });

    async function start(): Promise<void> {
        const backend = new TestBackend(host);
        backends.push(backend);
        page = new TestPage();
        connection = backend.connect(page);
        await hello();
        const { port, token } = backend.discovered();
        cli = await TestCli.connect(port, token);
    }

    /** All backends of a test have one process: what the earlier one left looks as if that had ended. */
    async function endAndStartAgain(change = (marker: string) => marker.replace(/\/\d+"/, '/1"')): Promise<void> {
        await cli.disconnect();
        await backends[backends.length - 1].servers.stop();
        for (const { name } of readdirSync(drafts(), { withFileTypes: true }).filter(entry => entry.isDirectory())) {
            const marker = path.join(drafts(), name, 'backend.json');
            const { atime, mtime } = statSync(marker);
            writeFileSync(marker, change(await fs.readFile(marker, 'utf8')));
            utimesSync(marker, atime, mtime);
        }
        await start();
    }

    async function hello(): Promise<void> {
        const backend = backends[backends.length - 1];
        page.state = await connection.service.hello(backend.window(page));
    }

    function drafts(): string {
        return path.join(host.configurationFolder, 'theia-cli-companion', 'drafts');
    }

    async function type(text: string): Promise<string> {
        await cli.openDiff(file, 'proposed\n');
        const { id } = page.shown[page.shown.length - 1];
        await connection.service.sendDraft(id, draftOf(text, 1, id));
        return id;
    }

    async function offered(): Promise<string[]> {
        await hello();
        const kept = page.state?.keptDrafts ?? [];
        return Promise.all(kept.map(async ({ id, path: of, cliName }) => [of, cliName, await connection.service.readDraft(id)].join(': ')));
    }

    it('are on disk before the page gets its confirmation, unreadable for others, and are removed when they are discarded', async () => {
        const id = await type('typed\n');
        const [folder] = readdirSync(drafts());
        const stored = path.join(drafts(), folder, `${id}.json`);
        expect(JSON.parse(await fs.readFile(stored, 'utf8'))).to.include({ text: 'typed\n', path: file });
        expect([
            statSync(drafts()).mode & 0o777,
            statSync(path.join(drafts(), folder)).mode & 0o777,
            statSync(stored).mode & 0o777
        ]).to.deep.equal([0o700, 0o700, 0o600]);
        await connection.service.rejectReview(id);
        await connection.service.discardDraft({ id, revision: 1 });
        await eventually('the file to go', async () => (await fs.stat(stored).catch(() => undefined)) === undefined);
    });

    it('stay in memory if they cannot be stored, which is a problem, and are stored once they can be', async () => {
        const problems = async (): Promise<string[]> => {
            await hello();
            return page.state?.status.problems.map(({ code }) => code) ?? [];
        };
        await fs.rm(drafts(), { recursive: true, force: true });
        await fs.writeFile(drafts(), 'in the way');
        const id = await type('typed\n');
        expect(await problems()).to.deep.equal(['drafts-not-stored']);
        await connection.service.rejectReview(id);
        expect(await offered()).to.deep.equal([`${file}: Qwen Code: typed\n`]);
        await fs.rm(drafts());
        await type('typed again\n');
        expect(await problems()).to.deep.equal([]);
        await endAndStartAgain();
        await eventually('both to be offered', async () => (await offered()).length === 2);
    });

    it('are offered, whether their proposal waited or had ended', async () => {
        const rejected = await type('rejected\n');
        await connection.service.rejectReview(rejected);
        await type('it waited\n');
        await endAndStartAgain();
        await eventually('both to be offered', async () => (await offered()).length === 2);
        expect(await offered()).to.have.members([`${file}: Qwen Code: rejected\n`, `${file}: Qwen Code: it waited\n`]);
    });

    it('are offered again after one more restart, but not if the file has them by now', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        await endAndStartAgain();
        await eventually('it to be offered', async () => (await offered()).length === 1);
        await fs.writeFile(file, 'typed\n');
        await eventually('the file to be seen', async () => (await offered()).length === 0);
        await eventually('nothing to be stored', () =>
            readdirSync(drafts()).every(name =>
                readdirSync(path.join(drafts(), name)).every(file => ['backend.json', 'settled.json'].includes(file))
            )
        );
    });

    it('stay discarded if a page sends them again to the next backend; a later text is offered', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        await connection.service.discardDraft({ id, revision: 1 });
        await eventually('that to be on disk', () =>
            readdirSync(drafts()).some(name => existsSync(path.join(drafts(), name, 'settled.json')))
        );
        await endAndStartAgain();
        const about = { uri: FileUri.create(file).toString(), cliName: 'Qwen Code' };
        await connection.service.sendDraft(id, { ...draftOf('typed\n', 1, id), about });
        expect(await offered()).to.deep.equal([]);
        await connection.service.sendDraft(id, { ...draftOf('typed again\n', 2, id), about });
        await eventually('the new text to be offered', async () => (await offered()).length === 1);
    });

    it('are left alone while their backend lives', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const other = new TestBackend(host);
        const otherPage = new TestPage();
        const state = await other.connect(otherPage).service.hello(other.window(otherPage, { windowId: 'window-1' }));
        expect(state.keptDrafts).to.deep.equal([]);
        await other.servers.stop();
        expect(await offered()).to.deep.equal([`${file}: Qwen Code: typed\n`]);
    });

    it('survive damaged files and files of other users', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const [folder] = readdirSync(drafts());
        writeFileSync(path.join(drafts(), folder, 'damaged.json'), '{"id":7');
        writeFileSync(path.join(drafts(), 'a file'), '');
        await endAndStartAgain();
        await eventually('it to be offered', async () => (await offered()).length === 1);
        expect(readdirSync(drafts())).to.include('a file');
    });

    it('are offered when a HOME that was slow at the start answers', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const run = FileAccessQueues.prototype.run;
        sinon.stub(FileAccessQueues.prototype, 'run').callsFake(function (this: FileAccessQueues, queue, task) {
            return run.call(this, queue, task, 2_000);
        });
        let answer = (): void => undefined;
        const answered = new Promise<void>(resolve => (answer = resolve));
        const { readdir } = fs;
        sinon.stub(fs, 'readdir').callsFake((async (folder: string) => {
            if (folder === drafts()) {
                await answered;
            }
            return readdir(folder);
        }) as unknown as typeof fs.readdir);
        await endAndStartAgain();
        await type('meanwhile\n');
        expect((await offered()).join()).not.to.include(': typed');
        answer();
        await eventually('it to be offered', async () => (await offered()).includes(`${file}: Qwen Code: typed\n`));
        sinon.restore();
        await endAndStartAgain();
        await eventually('both to be offered', async () => (await offered()).length === 2);
    });

    it('are stored again if somebody has removed the folder', async () => {
        await type('typed\n');
        await fs.rm(drafts(), { recursive: true });
        await type('typed again\n');
        await eventually('both to be stored', () =>
            readdirSync(drafts()).some(name => readdirSync(path.join(drafts(), name)).filter(one => one !== 'backend.json').length === 2)
        );
    });

    it('one that cannot be read for a moment is offered by the next backend', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const { readFile } = fs;
        sinon.stub(fs, 'readFile').callsFake((async (of: string, encoding: 'utf8') => {
            if (of.endsWith(`${id}.json`)) {
                throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
            }
            return readFile(of, encoding);
        }) as unknown as typeof fs.readFile);
        await endAndStartAgain();
        await eventually('the folder to be looked at', () => readdirSync(drafts()).some(name => name.startsWith('claimed-')));
        expect(await offered()).to.deep.equal([]);
        sinon.restore();
        await endAndStartAgain();
        await eventually('it to be offered', async () => (await offered()).length === 1);
    });

    it('are offered at once in the next container if the previous backend ended normally', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        await endAndStartAgain(marker => marker.replace(/"host":"[^"]*"/, '"host":"the pod before"'));
        await eventually('it to be offered', async () => (await offered()).length === 1);
    });

    it('are on disk even if the review has ended and its file does not answer', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const { stat } = fs;
        sinon
            .stub(fs, 'stat')
            .callsFake(((of: string) => (of === file ? new Promise(() => undefined) : stat(of))) as unknown as typeof fs.stat);
        await connection.service.sendDraft(id, draftOf('typed offline\n', 2, id));
        const stored = readdirSync(drafts()).map(name => path.join(drafts(), name, `${id}.json`));
        expect(JSON.parse(await fs.readFile(stored[0], 'utf8'))).to.include({ text: 'typed offline\n' });
    });
});
