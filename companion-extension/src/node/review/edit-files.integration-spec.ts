// SPDX-License-Identifier: Apache-2.0

import { existsSync, readdirSync, statSync, promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { editId } from '../../common/revision';
import { ProcessMarkers } from '../discovery/process-marker';
import { TestHost } from '../discovery/test/test-host';
import { FileAccess } from '../host/file-access';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { LOAD_ID, saveOf, TestPage } from '../test/test-page';
import { EditFiles } from './edit-files';

/** A backend with one page and one CLI. */
class Backend {
    readonly page = new TestPage();
    cli: TestCli;
    protected readonly backend: TestBackend;
    protected connection: TestConnection;

    constructor(
        host: TestHost,
        protected readonly file: string
    ) {
        this.backend = new TestBackend(host);
    }

    get service(): TestConnection['service'] {
        return this.connection.service;
    }

    async start(): Promise<this> {
        this.connection = this.backend.connect(this.page);
        await this.hello();
        const { port, token } = this.backend.discovered();
        this.cli = await TestCli.connect(port, token);
        return this;
    }

    async hello(): Promise<void> {
        this.page.state = await this.service.hello(this.backend.window(this.page));
    }

    async propose(): Promise<string> {
        await this.cli.openDiff(this.file, 'proposed\n');
        return this.page.shown[this.page.shown.length - 1].id;
    }

    /** @returns the review's id */
    async type(text: string): Promise<string> {
        const id = await this.propose();
        await this.service.saveReview(saveOf(id, text));
        return id;
    }

    /** What is listed after a look at the files. */
    async offered(): Promise<string[]> {
        await this.hello();
        const kept = this.page.state?.keptEdits ?? [];
        return Promise.all(kept.map(async ({ id, path: of, cliName }) => [of, cliName, await this.service.readEdit(id)].join(': ')));
    }

    async reasons(): Promise<string[]> {
        await this.hello();
        return (this.page.state?.keptEdits ?? []).map(({ reason }) => reason);
    }

    async problems(): Promise<string[]> {
        await this.hello();
        return this.page.state?.status.problems.map(({ code }) => code) ?? [];
    }

    /** As a process that ends by itself. */
    async stop(): Promise<void> {
        await this.backend.servers.stop();
        await this.cli.disconnect();
    }
}

describe('What users typed, on disk', () => {
    let host: TestHost;
    let file: string;
    let backend: Backend;
    const others: Backend[] = [];

    beforeEach(async () => {
        host = new TestHost();
        file = host.home('a.txt');
        await fs.writeFile(file, 'before\n');
        backend = await new Backend(host, file).start();
    });

    afterEach(async () => {
        sinon.restore();
        await Promise.all([backend, ...others.splice(0)].map(one => one.stop()));
        host.remove();
    });

    /** Beside the one that runs: a backend of the same user. */
    async function startOther(): Promise<Backend> {
        const other = await new Backend(host, file).start();
        others.push(other);
        return other;
    }

    function folder(): string {
        return path.join(host.configurationFolder, 'theia-cli-companion', 'edits');
    }

    function storedFile(reviewId: string, n = 1): string {
        return path.join(folder(), `${editId(reviewId, { page: LOAD_ID, n })}.json`);
    }

    it('is there before the page gets its confirmation, unreadable for others, and goes when it is discarded', async () => {
        const id = await backend.type('typed\n');
        expect(JSON.parse(await fs.readFile(storedFile(id), 'utf8'))).to.include({ text: 'typed\n', path: file });
        expect([statSync(folder()).mode & 0o777, statSync(storedFile(id)).mode & 0o777]).to.deep.equal([0o700, 0o600]);
        await backend.service.rejectReview(id);
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        await backend.service.discardEdit(editId(id, { page: LOAD_ID, n: 1 }));
        expect(readdirSync(folder())).to.deep.equal([]);
    });

    it('is not confirmed while it cannot be stored, which is a problem; it stays, and is stored once it can be', async () => {
        // The first page's look makes the folder.
        await eventually('the folder', () => existsSync(folder()));
        await fs.rm(folder(), { recursive: true });
        await fs.writeFile(folder(), 'in the way');
        const id = await backend.propose();
        const refused = await backend.service.saveReview(saveOf(id, 'typed\n')).catch((error: Error) => error);
        expect(refused).to.be.instanceOf(Error);
        expect(await backend.problems()).to.deep.equal(['edits-not-stored']);
        await backend.service.rejectReview(id);
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        await fs.rm(folder());
        await backend.service.saveReview(saveOf(id, 'typed\n'));
        expect(await backend.problems()).to.deep.equal([]);
        expect(JSON.parse(await fs.readFile(storedFile(id), 'utf8'))).to.include({ text: 'typed\n', reason: 'rejected' });
    });

    it('is listed by every backend that has the folder, and gone for all when one discards it', async () => {
        const other = await startOther();
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        await eventually('both to list it', async () => (await other.offered()).length === 1 && (await backend.offered()).length === 1);
        await other.service.discardEdit(editId(id, { page: LOAD_ID, n: 1 }));
        await eventually('none to list it', async () => (await backend.offered()).length === 0);
    });

    it('is not there again if one discards it while another one counts the day', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        await eventually('its day to be stored', async () => (await fs.readFile(storedFile(id), 'utf8')).includes('"days":1'));
        const other = await startOther();
        const { open } = fs;
        const discarded = new Deferred<void>();
        let isHeld = false;
        sinon.stub(fs, 'open').callsFake(async (...args) => {
            if (String(args[0]).startsWith(folder())) {
                isHeld = true;
                await discarded.promise;
            }
            return open(...args);
        });
        // The next day.
        sinon.useFakeTimers({ now: Date.now() + 25 * 3_600_000, toFake: ['Date'], shouldAdvanceTime: true });
        const listing = other.offered();
        await eventually('the other one to write', () => isHeld);
        await fs.rm(storedFile(id));
        discarded.resolve();
        await listing;
        await eventually('none to list it', async () => (await other.offered()).length === 0 && (await backend.offered()).length === 0);
        expect(readdirSync(folder())).to.deep.equal([]);
    });

    it('is not there again if one discards it while another one reads the folder, and has a text to store', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        const other = await startOther();
        const { read } = EditFiles.prototype;
        let reading = 0;
        sinon.stub(EditFiles.prototype, 'read').callsFake(function (this: EditFiles) {
            reading++;
            return read.call(this).finally(() => reading--);
        });
        await eventually('the other one to list it', async () => (await other.offered()).length === 1);
        const typedOn = await other.propose();
        // Each hello begins to read, and does not wait for it.
        await eventually('it to have read', () => reading === 0);
        const { readdir } = fs;
        const discarded = new Deferred<void>();
        let isHeld = false;
        sinon.stub(fs, 'readdir').callsFake((async (of: string) => {
            if (of === folder()) {
                isHeld = true;
                await discarded.promise;
            }
            return readdir(of);
        }) as unknown as typeof fs.readdir);
        await other.hello();
        await eventually('the other one to read', () => isHeld);
        await fs.rm(storedFile(id));
        const stored = sinon.spy(EditFiles.prototype, 'keep');
        const saving = other.service.saveReview(saveOf(typedOn, 'typed in the other one\n'));
        await eventually('a text to be stored', () => stored.called);
        discarded.resolve();
        await saving;
        expect(readdirSync(folder())).to.deep.equal([path.basename(storedFile(typedOn))]);
        await eventually('none to list it', async () => (await other.offered()).length === 0 && (await backend.offered()).length === 0);
    });

    it('is left alone while its review waits in a living backend, and listed once that was killed', async () => {
        await backend.type('it waited\n');
        const other = await startOther();
        await other.hello();
        expect(await other.offered()).to.deep.equal([]);
        // All backends of a test have one process.
        sinon.stub(ProcessMarkers.prototype, 'isGone').returns(true);
        await eventually('it to be listed', async () => (await other.offered()).join() === `${file}: Qwen Code: it waited\n`);
        expect(await other.reasons()).to.deep.equal(['stopped']);
    });

    it('is listed after a restart, whether its review waited or had ended, but not if the file has it by now', async () => {
        const rejected = await backend.type('rejected\n');
        await backend.service.rejectReview(rejected);
        await backend.type('it waited\n');
        await backend.stop();
        backend = await new Backend(host, file).start();
        await eventually('both to be listed', async () => (await backend.offered()).length === 2);
        expect(await backend.offered()).to.have.members([`${file}: Qwen Code: rejected\n`, `${file}: Qwen Code: it waited\n`]);
        expect(await backend.reasons(), 'the CLI ended nothing').to.have.members(['rejected', 'stopped']);
        await fs.writeFile(file, 'rejected\n');
        await eventually('the file to be seen', async () => (await backend.offered()).length === 1);
        await eventually('the other one alone to be stored', () => readdirSync(folder()).length === 1);
    });

    it('a HOME that can be read and not written loses nothing: what was kept is listed', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        await backend.stop();
        const { rename } = fs;
        sinon.stub(fs, 'rename').callsFake(async (from, to) => {
            if (path.dirname(String(to)) === folder()) {
                throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
            }
            await rename(from, to);
        });
        backend = await new Backend(host, file).start();
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
    });

    it('in a folder that others may write is not read, and a problem says so', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        await backend.stop();
        await fs.chmod(path.dirname(folder()), 0o777);
        backend = await new Backend(host, file).start();
        await eventually('the problem', async () => (await backend.problems()).includes('edits-not-read'));
        await fs.chmod(path.dirname(folder()), 0o700);
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        expect(await backend.problems()).not.to.include('edits-not-read');
    });

    it('goes with what a killed write has left, after a day', async () => {
        await eventually('the folder', () => existsSync(folder()));
        const [old, young] = ['0'.repeat(16), '1'.repeat(16)].map(name => path.join(folder(), `.theia-companion-${name}.tmp`));
        await Promise.all([old, young].map(name => fs.writeFile(name, '{"text":"typed"}')));
        const yesterday = new Date(Date.now() - 25 * 3_600_000);
        await fs.utimes(old, yesterday, yesterday);
        await backend.offered();
        await eventually('the old one to go', () => !existsSync(old));
        expect(existsSync(young), 'a write that may run').to.equal(true);
    });

    it('that could not be removed is not confirmed as discarded, however often the page asks', async () => {
        const id = editId(await backend.type('typed\n'), { page: LOAD_ID, n: 1 });
        await backend.service.rejectReview(id.slice(0, 36));
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        const fails = sinon.stub(fs, 'rm').rejects(Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' }));
        for (let count = 0; count < 2; count++) {
            const refused = await backend.service.discardEdit(id).catch((error: Error) => error);
            expect(refused).to.be.instanceOf(Error);
        }
        fails.restore();
        await backend.service.discardEdit(id);
        expect(readdirSync(folder())).to.deep.equal([]);
    });

    it('damaged files, files of a killed write and names that are none of ours change nothing', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        const names = ['damaged.json', `${id}-${LOAD_ID}-9.json`, '.theia-companion-0123456789abcdef.tmp', '..%2fx.json'];
        await Promise.all(names.map(name => fs.writeFile(path.join(folder(), name), '{"id":7')));
        await backend.stop();
        backend = await new Backend(host, file).start();
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
        expect(readdirSync(folder())).to.include.members(names);
    });

    it('is stored again if somebody has removed the folder', async () => {
        const id = await backend.type('typed\n');
        await fs.rm(folder(), { recursive: true });
        await backend.service.saveReview(saveOf(id, 'typed again\n', 2, LOAD_ID, [{ page: LOAD_ID, n: 1 }]));
        expect(JSON.parse(await fs.readFile(storedFile(id, 2), 'utf8'))).to.include({ text: 'typed again\n' });
    });

    it('is there again, with all others, if somebody has cleared the settings: that discards nothing', async () => {
        const [first, second] = [await backend.type('typed\n'), await backend.type('more\n')];
        await backend.service.rejectReview(first);
        await backend.service.rejectReview(second);
        await eventually('both to be listed', async () => (await backend.offered()).length === 2);
        await fs.rename(folder(), host.temporary('cleared'));
        expect(await backend.offered()).to.have.length(2);
        await eventually('both on disk', () => existsSync(folder()) && readdirSync(folder()).length === 2);
    });

    it('is listed when a HOME that was slow answers', async () => {
        const id = await backend.type('typed\n');
        await backend.service.rejectReview(id);
        await backend.stop();
        const run = FileAccess.prototype.run;
        sinon.stub(FileAccess.prototype, 'run').callsFake(function (this: FileAccess, queue, task) {
            return run.call(this, queue, task, 500);
        });
        let answer = (): void => undefined;
        const answered = new Promise<void>(resolve => (answer = resolve));
        const { readdir } = fs;
        sinon.stub(fs, 'readdir').callsFake((async (of: string) => {
            if (of === folder()) {
                await answered;
            }
            return readdir(of);
        }) as unknown as typeof fs.readdir);
        backend = await new Backend(host, file).start();
        expect(await backend.offered()).to.deep.equal([]);
        answer();
        await eventually('it to be listed', async () => (await backend.offered()).length === 1);
    });

    it('a page that the backend does not know any more loses nothing', async () => {
        const id = '99999999-2222-4333-8444-555555555555';
        const about = { reviewId: id, uri: FileUri.create(file).toString(), cliName: 'Qwen Code' };
        await backend.service.saveReview({ ...saveOf(id, 'typed offline\n'), about });
        expect(JSON.parse(await fs.readFile(storedFile(id), 'utf8'))).to.include({ text: 'typed offline\n', reason: 'late' });
    });
});
