// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs, readdirSync, readFileSync, symlinkSync } from 'fs';
import * as path from 'path';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { timeout } from '@theia/core/lib/common/promise-util';
import { FileSystemWatcherServer } from '@theia/filesystem/lib/common/filesystem-watcher-protocol';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { expect } from 'chai';
import { KeptEdit, WindowState } from '../../common/companion-protocol';
import { editId } from '../../common/revision';
import { IdeWrites } from '../changes/ide-writes';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { LOAD_ID, saveOf, TestPage } from '../test/test-page';
import { closedContent } from '../test/tool-results';

const BEFORE = 'before\n';
const PROPOSED = 'proposed\n';

describe('What a user typed into a proposal', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let qwen: TestCli;
    let gemini: TestCli;
    let file: string;

    beforeEach(async () => {
        backend = new TestBackend();
        file = backend.host.home('a.txt');
        await fs.writeFile(file, BEFORE);
        page = new TestPage();
        connection = backend.connect(page);
        await hello();
        const { port, token } = backend.discovered();
        qwen = await TestCli.connect(port, token);
        gemini = await TestCli.connect(port, geminiToken());
    });

    afterEach(async () => {
        await qwen.disconnect();
        await gemini.disconnect();
        await backend.stop();
    });

    function hello(of: { page: TestPage; connection: TestConnection; changes?: object } = { page, connection }): Promise<WindowState> {
        return of.connection.service.hello(backend.window(of.page, of.changes));
    }

    function geminiToken(): string {
        const folder = path.join(backend.host.temporaryFolder, 'gemini', 'ide');
        const [name] = readdirSync(folder);
        return (JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as { authToken: string }).authToken;
    }

    /** @returns the review's id */
    async function propose(cli: TestCli): Promise<string> {
        await cli.openDiff(file, PROPOSED);
        return page.shown[page.shown.length - 1].id;
    }

    /** @returns the review's id. The text is revision 1 of {@link LOAD_ID}. */
    async function proposeAndType(cli: TestCli, text = 'typed\n'): Promise<string> {
        const id = await propose(cli);
        await connection.service.saveReview(saveOf(id, text));
        return id;
    }

    function accept(id: string): Promise<unknown> {
        return connection.service.acceptReview(id, { revision: { page: LOAD_ID, n: 1 } });
    }

    /** After a hello the backend looks at the files. */
    async function kept(): Promise<readonly KeptEdit[]> {
        await hello();
        await timeout(50);
        return (await hello()).keptEdits;
    }

    async function keptTexts(): Promise<string[]> {
        const texts = (await kept()).map(async ({ id, reason, quiet }) =>
            [...(quiet ? ['quiet'] : []), reason, await connection.service.readEdit(id)].join(': ')
        );
        return Promise.all(texts);
    }

    async function untilKept(...texts: string[]): Promise<void> {
        await eventually(`${texts.join()} to be kept`, async () => (await keptTexts()).join() === texts.join());
    }

    /** Qwen Code writes its own proposal after "Yes" in its terminal, and then closes the diff. */
    async function answerYesInQwen(): Promise<void> {
        await fs.writeFile(file, PROPOSED);
        await qwen.closeDiff(file, true);
    }

    /** Gemini CLI writes what it is given. */
    async function answerYesInGemini(): Promise<void> {
        await fs.writeFile(file, closedContent(await gemini.closeDiff(file, true)));
    }

    describe('a kept edit is offered', () => {
        it('at once if Qwen Code has written its own proposal, with the last keys, and the page is notified', async () => {
            const id = await proposeAndType(qwen);
            page.unsent = saveOf(id, 'typed, and the last keys\n', 2, LOAD_ID, [{ page: LOAD_ID, n: 1 }]);
            await answerYesInQwen();
            const [told] = await eventually('the page to be told', () => page.state?.keptEdits.length === 1 && page.state.keptEdits);
            expect(told).to.include({ path: file, uri: `file://${file}`, cliName: 'Qwen Code', reason: 'terminal' });
            expect(await keptTexts()).to.deep.equal(['terminal: typed, and the last keys\n']);
        });

        it('once if the last keys arrive while the page is asked for them', async () => {
            const id = await propose(qwen);
            page.closeReview = async () => {
                const save = saveOf(id, 'typed\n');
                await connection.service.saveReview(save);
                await eventually('the state to be told', () => page.state?.reviews.length === 0);
                expect(page.state?.keptEdits).to.deep.equal([]);
                return save;
            };
            await answerYesInQwen();
            await untilKept('terminal: typed\n');
        });

        it('at once if it was rejected, but not if the proposal was not edited', async () => {
            const id = await proposeAndType(qwen);
            expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'done' });
            expect(await connection.service.rejectReview(await propose(qwen))).to.deep.equal({ result: 'done' });
            const takenBack = await proposeAndType(qwen);
            await connection.service.saveReview(saveOf(takenBack, undefined, 2, LOAD_ID, [{ page: LOAD_ID, n: 1 }]));
            expect(await connection.service.rejectReview(takenBack)).to.deep.equal({ result: 'done' });
            expect(await keptTexts()).to.deep.equal(['rejected: typed\n']);
        });

        it('if it comes after the rejection: its tab was closed while the socket was down', async () => {
            const id = await propose(qwen);
            expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'done' });
            await connection.service.saveReview(saveOf(id, 'typed offline\n'));
            await untilKept('late: typed offline\n');
        });

        it('if the CLI makes another proposal for the file, if it ends, and if the server stops', async () => {
            await proposeAndType(qwen, 'first\n');
            await proposeAndType(qwen, 'second\n');
            await qwen.closeDiff(file);
            await proposeAndType(qwen, 'third\n');
            await connection.service.hello(backend.window(page, { enabled: false }));
            expect(await keptTexts()).to.deep.equal(['replaced: first\n', 'ended: second\n', 'stopped: third\n']);
        });

        it('if it was accepted, and the CLI ends before it gets the answer', async () => {
            const { port, token } = backend.discovered();
            const stopped = await TestCli.connect(port, token, 60_000);
            const id = await proposeAndType(stopped);
            stopped.muteStream();
            await accept(id);
            await connection.service.hello(backend.window(page, { enabled: false }));
            expect(await keptTexts()).to.deep.equal(['notWritten: typed\n']);
            await stopped.disconnect();
        });

        it('if it was accepted and did not arrive, and the CLI asks for the file again', async () => {
            const { port, token } = backend.discovered();
            const stopped = await TestCli.connect(port, token, 60_000);
            await eventually('the processes to be found', async () => (await hello()).status.connections.length > 0);
            const id = await proposeAndType(stopped);
            stopped.muteStream();
            await accept(id);
            await stopped.openDiff(file, 'another proposal\n');
            await untilKept('notWritten: typed\n');
            await stopped.disconnect();
        });

        it('if the backend has forgotten the review', async () => {
            const reviewId = randomUUID();
            const about = { reviewId, uri: FileUri.create(file).toString(), cliName: 'Some CLI' };
            await connection.service.saveReview({ ...saveOf(reviewId, 'typed\n'), about });
            await eventually('the edit to be kept', async () => (await kept()).length === 1);
            const id = editId(reviewId, { page: LOAD_ID, n: 1 });
            expect((await kept())[0]).to.include({ id, path: file, cliName: 'Some CLI', reason: 'late' });
        });

        it('under the name that the page has for the file, if a root is a symbolic link', async () => {
            const link = path.join(backend.host.temporaryFolder, 'link');
            symlinkSync(backend.host.homeFolder, link);
            const uri = FileUri.create(path.join(link, 'a.txt')).toString();
            const state = await hello({ page, connection, changes: { roots: [FileUri.create(link).toString()] } });
            expect(state.status.state).to.equal('ready');
            const id = await proposeAndType(qwen);
            expect(page.shown.at(-1)).to.include({ uri, path: path.join(link, 'a.txt'), outsideWorkspace: false });
            await connection.service.rejectReview(id);
            const changes = { roots: [FileUri.create(link).toString()] };
            const [edit] = await eventually('it to be kept', async () => {
                const { keptEdits } = await hello({ page, connection, changes });
                return keptEdits.length > 0 && keptEdits;
            });
            expect(edit).to.include({ uri, path: path.join(link, 'a.txt') });
        });
    });

    describe('is no longer kept', () => {
        it('once the file has it, whatever its line endings and byte order mark', async () => {
            const accepted = await proposeAndType(qwen);
            await accept(accepted);
            await fs.writeFile(file, '\uFEFFtyped\r\n');
            await proposeAndType(gemini, 'for Gemini\n');
            await answerYesInGemini();
            await eventually('nothing to be kept', async () => (await kept()).length === 0);
            const rejected = await proposeAndType(qwen, 'by hand\n');
            await connection.service.rejectReview(rejected);
            expect(await kept()).to.have.length(1);
            await fs.writeFile(file, 'by hand\n');
            await eventually('the file to be seen', async () => (await kept()).length === 0);
        });

        it('once the IDE has saved the file with it, which pages are told, and no save of another text ends it', async () => {
            const { container } = backend;
            container.bind(EncodingService).toSelf();
            container
                .bind(FileSystemWatcherServer)
                .toConstantValue({ setClient: () => undefined, dispose: () => undefined } as unknown as FileSystemWatcherServer);
            container.bind(DiskFileSystemProvider).toSelf();
            const provider = container.get(IdeWrites).follow(container.get(DiskFileSystemProvider));
            const save = (text: string): Promise<void> =>
                provider.writeFile(FileUri.create(file), Buffer.from(text), { create: true, overwrite: true });
            for (const text of ['first\n', 'second\n']) {
                await connection.service.rejectReview(await proposeAndType(qwen, text));
            }
            const told = (): Promise<string[]> =>
                Promise.all((page.state?.keptEdits ?? []).map(async ({ id }) => (await connection.service.readEdit(id)) ?? ''));
            await eventually('both', async () => (await told()).length === 2);
            await save('a third text\n');
            await timeout(100);
            expect(await told()).to.deep.equal(['first\n', 'second\n']);
            await save('second\n');
            await eventually('the save to be seen', async () => (await told()).join() === 'first\n');
            await save('\uFEFF  first\r\n');
            await eventually('a formatter to be recognized', async () => (await told()).length === 0);
        });

        it('once it is discarded: a repetition brings nothing back, a later revision is a new text', async () => {
            const id = await proposeAndType(qwen);
            const edit = editId(id, { page: LOAD_ID, n: 1 });
            await connection.service.rejectReview(id);
            await connection.service.discardEdit(edit);
            await connection.service.saveReview(saveOf(id, 'typed\n'));
            expect(await kept()).to.deep.equal([]);
            await connection.service.saveReview(saveOf(id, 'typed again\n', 2));
            await untilKept('late: typed again\n');
            await connection.service.discardEdit(edit);
            expect(await keptTexts()).to.deep.equal(['late: typed again\n']);
        });

        it('once another text continues it, even if that one arrives first', async () => {
            const id = await propose(qwen);
            const [first, second] = [randomUUID(), randomUUID()];
            await connection.service.saveReview(saveOf(id, 'both\n', 1, second, [{ page: first, n: 3 }]));
            await connection.service.saveReview(saveOf(id, 'first\n', 3, first));
            expect((await hello()).reviews[0].revision).to.deep.equal({ page: second, n: 1 });
            await connection.service.rejectReview(id);
            expect(await keptTexts()).to.deep.equal(['rejected: both\n']);
        });
    });

    it('survives a reload; a window with other roots neither sees nor discards it', async () => {
        const id = await proposeAndType(qwen);
        await connection.service.rejectReview(id);
        connection.disconnect();
        page = new TestPage();
        connection = backend.connect(page);
        const edit = editId(id, { page: LOAD_ID, n: 1 });
        expect((await kept()).map(one => one.id)).to.deep.equal([edit]);

        const strange = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots: [] } };
        expect((await hello(strange)).keptEdits).to.deep.equal([]);
        expect(await strange.connection.service.readEdit(edit)).to.equal(undefined);
        await strange.connection.service.discardEdit(edit);
        expect(await connection.service.readEdit(edit)).to.equal('typed\n');
    });

    it('is listed in a window whose root has its file, though it has other roots', async () => {
        const id = await proposeAndType(qwen);
        await connection.service.rejectReview(id);
        const roots = [...backend.window(page).roots, FileUri.create(backend.host.temporaryFolder).toString()];
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots } };
        const [edit] = await eventually('it to be listed', async () => {
            const { keptEdits } = await hello(other);
            return keptEdits.length > 0 && keptEdits;
        });
        expect(edit).to.include({ reviewId: id });
    });

    it('an answer that is sent again because its answer was lost was not late', async () => {
        const id = await proposeAndType(gemini);
        expect(await accept(id)).to.deep.equal({ result: 'done' });
        expect(await accept(id)).to.deep.equal({ result: 'done' });
        expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'late', how: 'accepted' });
        expect((await gemini.next('ide/diffAccepted')).params).to.include({ content: 'typed\n' });
        expect(await gemini.settled()).to.deep.equal([]);
    });
});
