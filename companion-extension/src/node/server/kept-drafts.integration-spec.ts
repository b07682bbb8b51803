// SPDX-License-Identifier: Apache-2.0

import { promises as fs, readdirSync, readFileSync, symlinkSync } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { timeout } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { restore, useFakeTimers } from 'sinon';
import { KeptDraft, PROPOSAL, WindowState } from '../../common/companion-protocol';
import { WRITE_TIME } from '../../common/companion-limits';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { draftOf, TestPage, typed } from '../test/test-page';
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
        restore();
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

    /** @returns the review's id. The draft has the same. */
    async function proposeAndType(cli: TestCli, text = 'typed\n'): Promise<string> {
        const id = await propose(cli);
        await connection.service.sendDraft(id, draftOf(text, 1, id));
        return id;
    }

    function accept(id: string): Promise<unknown> {
        return connection.service.acceptReview(id, { draft: { id, revision: 1 } });
    }

    async function kept(): Promise<readonly KeptDraft[]> {
        return (await hello()).keptDrafts;
    }

    async function keptTexts(): Promise<string[]> {
        const texts = (await kept()).map(async ({ id, reason, quiet }) =>
            [...(quiet ? ['quiet'] : []), reason, await connection.service.readDraft(id)].join(': ')
        );
        return Promise.all(texts);
    }

    async function untilKept(...texts: string[]): Promise<void> {
        await eventually(`${texts.join()} to be kept`, async () => (await keptTexts()).join() === texts.join());
    }

    /** Lets the time pass that a CLI has to write. Timers go on: files are looked at each second. */
    function passWriteTime(): void {
        useFakeTimers({ now: Date.now() + WRITE_TIME, toFake: ['Date'], shouldAdvanceTime: true });
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

    describe('is offered', () => {
        it('at once if Qwen Code has written its own proposal, with the last keys, and the page is notified', async () => {
            const id = await proposeAndType(qwen);
            page.closed = typed('typed, and the last keys\n', 2, id);
            await answerYesInQwen();
            const [told] = await eventually('the page to be told', () => page.state?.keptDrafts.length === 1 && page.state.keptDrafts);
            expect(told).to.include({ path: file, uri: `file://${file}`, cliName: 'Qwen Code', reason: 'terminal' });
            expect(await keptTexts()).to.deep.equal(['terminal: typed, and the last keys\n']);
        });

        it('once if the last keys arrive while the page is asked for them', async () => {
            const id = await propose(qwen);
            page.closeReview = async () => {
                await connection.service.sendDraft(id, draftOf('typed\n', 1, id));
                await eventually('the state to be told', () => page.state?.reviews.length === 0);
                expect(page.state?.keptDrafts).to.deep.equal([]);
                return { draft: { id, revision: 1 } };
            };
            await answerYesInQwen();
            await untilKept('terminal: typed\n');
        });

        it('if Gemini CLI was answered with "No" in its terminal, which looks like "Yes" until nothing is written (A6)', async () => {
            await proposeAndType(gemini);
            await gemini.closeDiff(file, true);
            expect(await kept()).to.deep.equal([]);
            passWriteTime();
            await untilKept('terminal: typed\n');
        });

        it('at once if it was rejected, but not if the proposal was not edited', async () => {
            const id = await proposeAndType(qwen);
            expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'done' });
            expect(await connection.service.rejectReview(await propose(qwen))).to.deep.equal({ result: 'done' });
            const takenBack = await proposeAndType(qwen);
            await connection.service.sendDraft(takenBack, draftOf(undefined, 2, takenBack));
            expect(await connection.service.rejectReview(takenBack)).to.deep.equal({ result: 'done' });
            expect(await keptTexts()).to.deep.equal(['rejected: typed\n']);
        });

        it('if it comes after the rejection: its tab was closed while the socket was down (A1, H2)', async () => {
            const id = await propose(qwen);
            expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'done' });
            await connection.service.sendDraft(id, draftOf('typed offline\n', 1, id));
            await untilKept('late: typed offline\n');
        });

        it('if the CLI makes another proposal for the file, if it ends, and if the server stops', async () => {
            await proposeAndType(qwen, 'first\n');
            await proposeAndType(qwen, 'second\n');
            await qwen.closeDiff(file);
            await proposeAndType(qwen, 'third\n');
            await connection.service.hello(backend.window(page, { enabled: false }));
            expect(await keptTexts()).to.deep.equal(['replaced: first\n', 'ended: second\n', 'ended: third\n']);
        });

        it('if it was accepted, and the CLI writes nothing: the file had changed, cannot be written, or the CLI failed (A5, M1, M2)', async () => {
            const id = await proposeAndType(qwen);
            await fs.writeFile(file, 'changed meanwhile\n');
            expect(await accept(id)).to.deep.equal({ result: 'done' });
            await hello();
            expect(await kept()).to.deep.equal([]);
            passWriteTime();
            await untilKept('notWritten: typed\n');
        });

        it('quietly if the file has become a third text, for example by a formatter', async () => {
            const id = await proposeAndType(qwen);
            await accept(id);
            // The file is looked at when the review ends.
            await timeout(50);
            await fs.writeFile(file, 'typed;\n');
            await untilKept('quiet: notWritten: typed\n');
            await qwen.openDiff(file, 'another proposal\n');
            await timeout(50);
            expect(await keptTexts(), 'it is written, whatever the CLI proposes next').to.deep.equal(['quiet: notWritten: typed\n']);
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

        it('if it was accepted and did not arrive, and the CLI asks for the file again (A2)', async () => {
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

        it('if the backend has forgotten the review (A8)', async () => {
            const about = { uri: FileUri.create(file).toString(), cliName: 'Some CLI' };
            await connection.service.sendDraft('forgotten', { ...draftOf('typed\n', 1, 'mine'), about });
            await eventually('the edit to be kept', async () => (await kept()).length === 1);
            expect((await kept())[0]).to.include({ id: 'mine', path: file, cliName: 'Some CLI', reason: 'ended' });
        });

        it('under the name that the page has for the file, if a root is a symbolic link (M5)', async () => {
            const link = path.join(backend.host.temporaryFolder, 'link');
            symlinkSync(backend.host.homeFolder, link);
            const uri = FileUri.create(path.join(link, 'a.txt')).toString();
            const state = await hello({ page, connection, changes: { roots: [FileUri.create(link).toString()] } });
            expect(state.status.state).to.equal('ready');
            const id = await proposeAndType(qwen);
            expect(page.shown.at(-1)).to.include({ uri, path: path.join(link, 'a.txt'), outsideWorkspace: false });
            await connection.service.rejectReview(id);
            const { keptDrafts } = await hello({ page, connection, changes: { roots: [FileUri.create(link).toString()] } });
            expect(keptDrafts[0]).to.include({ uri, path: path.join(link, 'a.txt') });
        });
    });

    describe('is no longer kept', () => {
        it('once the file has it, whatever its line endings and byte order mark', async () => {
            const accepted = await proposeAndType(qwen);
            await accept(accepted);
            await fs.writeFile(file, '\uFEFFtyped\r\n');
            await proposeAndType(gemini, 'for Gemini\n');
            await answerYesInGemini();
            passWriteTime();
            await eventually('nothing to be kept', async () => (await kept()).length === 0);
            const rejected = await proposeAndType(qwen, 'by hand\n');
            await connection.service.rejectReview(rejected);
            expect(await kept()).to.have.length(1);
            await fs.writeFile(file, 'by hand\n');
            await eventually('the file to be seen', async () => (await kept()).length === 0);
        });

        it('once it is discarded: a repetition brings nothing back, a later revision is a new text (B8)', async () => {
            const id = await proposeAndType(qwen);
            await connection.service.rejectReview(id);
            await connection.service.discardDraft({ id, revision: 1 });
            await connection.service.sendDraft(id, draftOf('typed\n', 1, id));
            // The page would be notified once the file was read.
            await timeout(50);
            expect(await kept()).to.deep.equal([]);
            await connection.service.sendDraft(id, draftOf('typed again\n', 2, id));
            await untilKept('late: typed again\n');
            await connection.service.discardDraft({ id, revision: 1 });
            expect(await keptTexts()).to.deep.equal(['late: typed again\n']);
        });

        it('once another draft continues it, even if that one arrives first', async () => {
            const id = await propose(qwen);
            await connection.service.sendDraft(id, draftOf('both\n', 1, 'second', { id: 'first', revision: 3 }));
            await connection.service.sendDraft(id, draftOf('first\n', 3, 'first'));
            expect((await hello()).reviews[0].drafts).to.deep.equal([{ id: 'second', revision: 1 }]);
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
        expect((await kept()).map(edit => edit.id)).to.deep.equal([id]);

        const strange = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots: [] } };
        expect((await hello(strange)).keptDrafts).to.deep.equal([]);
        expect(await strange.connection.service.readDraft(id)).to.equal(undefined);
        await strange.connection.service.discardDraft({ id, revision: 1 });
        expect(await connection.service.readDraft(id)).to.equal('typed\n');
    });

    it('is listed separately in every window once no page has its folder open (L7)', async () => {
        const id = await proposeAndType(qwen);
        await connection.service.rejectReview(id);
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots: [] } };
        connection.disconnect();
        const [draft] = (await hello(other)).keptDrafts;
        expect(draft).to.include({ id, otherFolder: true });
        expect(await other.connection.service.readDraft(id)).to.equal('typed\n');
        await other.connection.service.discardDraft(draft);
        expect((await hello(other)).keptDrafts).to.deep.equal([]);
    });

    it('is listed in a window whose root has its file, though it has other roots (L7)', async () => {
        const id = await proposeAndType(qwen);
        await connection.service.rejectReview(id);
        const roots = [...backend.window(page).roots, FileUri.create(backend.host.temporaryFolder).toString()];
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots } };
        const [draft] = (await hello(other)).keptDrafts;
        expect(draft).to.include({ id }).and.not.to.have.property('otherFolder');
    });

    it('an answer that is sent again because its answer was lost was not late', async () => {
        const id = await proposeAndType(gemini);
        expect(await accept(id)).to.deep.equal({ result: 'done' });
        expect(await accept(id)).to.deep.equal({ result: 'done' });
        expect(await connection.service.rejectReview(id)).to.deep.equal({ result: 'late', how: 'accepted' });
        expect((await gemini.next('ide/diffAccepted')).params).to.include({ content: 'typed\n' });
        expect(await gemini.settled()).to.deep.equal([]);
    });

    it('a window that is asked to show a review gives it back when it opens another folder, or is switched off (B6)', async () => {
        const id = await propose(qwen);
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other' } };
        await hello(other);
        for (const changes of [{ roots: [] }, { enabled: false }]) {
            await hello(other);
            expect(await other.connection.service.showReviewHere(id)).to.equal(true);
            expect((await hello()).reviews).to.deep.equal([]);
            await hello({ ...other, changes: { ...other.changes, ...changes } });
            expect((await hello()).reviews.map(review => review.id)).to.deep.equal([id]);
        }
        expect(await connection.service.acceptReview(id, { draft: PROPOSAL })).to.deep.equal({ result: 'done' });
    });
});
