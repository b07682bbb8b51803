// SPDX-License-Identifier: Apache-2.0

import { existsSync, readdirSync, statSync, writeFileSync, promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { TestHost } from '../discovery/test/test-host';
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
    async function endAndStartAgain(): Promise<void> {
        await cli.disconnect();
        await backends[backends.length - 1].servers.stop();
        for (const { name } of readdirSync(drafts(), { withFileTypes: true }).filter(entry => entry.isDirectory())) {
            const marker = path.join(drafts(), name, 'backend.json');
            writeFileSync(marker, (await fs.readFile(marker, 'utf8')).replace(/\/\d+"/, '/1"'));
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

    it('stay in memory where they cannot be stored, which is a problem, and are stored once they can be', async () => {
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

    it('are offered again after one more end, and not where the file has them by now', async () => {
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

    it('stay discarded where a page sends them again to the next backend, whose text of them is another matter', async () => {
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

    it('damaged files and files of others do no harm', async () => {
        const id = await type('typed\n');
        await connection.service.rejectReview(id);
        const [folder] = readdirSync(drafts());
        writeFileSync(path.join(drafts(), folder, 'damaged.json'), '{"id":7');
        writeFileSync(path.join(drafts(), 'a file'), '');
        await endAndStartAgain();
        await eventually('it to be offered', async () => (await offered()).length === 1);
        expect(readdirSync(drafts())).to.include('a file');
    });
});
