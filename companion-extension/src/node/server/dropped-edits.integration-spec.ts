// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { DroppedEdit, PROPOSAL_VERSION, ReviewEdit, WindowState } from '../../common/companion-protocol';
import { TestBackend, TestConnection } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

describe('What a user typed into a proposal that ends without it', () => {
    let backend: TestBackend;
    let page: TestPage;
    let connection: TestConnection;
    let qwen: TestCli;
    let gemini: TestCli;
    let file: string;

    beforeEach(async () => {
        backend = new TestBackend();
        file = backend.host.home('a.txt');
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
    async function propose(cli: TestCli, content = 'proposed\n'): Promise<string> {
        await cli.openDiff(file, content);
        return page.shown[page.shown.length - 1].id;
    }

    function edit(text: string | undefined, revision = 1): ReviewEdit {
        return { revision, text, base: PROPOSAL_VERSION };
    }

    async function proposeAndEdit(cli: TestCli, text = 'edited\n'): Promise<string> {
        const id = await propose(cli);
        await connection.service.updateReviewText(id, edit(text));
        return id;
    }

    async function kept(): Promise<readonly DroppedEdit[]> {
        return (await hello()).droppedEdits;
    }

    async function keptTexts(): Promise<Array<[string, string | undefined]>> {
        return Promise.all(
            (await kept()).map(
                async ({ id, reason }) => [reason, await connection.service.readDroppedEdit(id)] as [string, string | undefined]
            )
        );
    }

    it('is kept where Qwen Code is answered in its terminal, with the last keys, and the page is told', async () => {
        await proposeAndEdit(qwen);
        page.closed = { text: 'edited, and the last keys\n' };
        await qwen.closeDiff(file, true);
        const [told] = await eventually('the page to be told', () => page.state?.droppedEdits.length === 1 && page.state.droppedEdits);
        expect(told).to.include({ path: file, uri: `file://${file}`, cliName: 'Qwen Code', reason: 'terminal' });
        expect(await keptTexts()).to.deep.equal([['terminal', 'edited, and the last keys\n']]);
    });

    it('is kept once where the last keys arrive while the page is asked for them', async () => {
        const id = await propose(qwen);
        page.closeReview = async () => {
            await connection.service.updateReviewText(id, edit('edited\n'));
            await eventually('the state to be told', () => page.state?.reviews.length === 0);
            return { text: 'edited\n' };
        };
        await qwen.closeDiff(file, true);
        expect(await keptTexts()).to.deep.equal([['terminal', 'edited\n']]);
    });

    it('is not kept where Gemini CLI is answered in its terminal: it takes the edits; it is where Gemini CLI ends', async () => {
        await proposeAndEdit(gemini);
        await gemini.closeDiff(file, true);
        expect(await kept()).to.deep.equal([]);
        await proposeAndEdit(gemini);
        await gemini.closeDiff(file);
        expect(await keptTexts()).to.deep.equal([['ended', 'edited\n']]);
    });

    it('is kept where the user rejects, with what the page showed last; a proposal that was not edited is not', async () => {
        const id = await proposeAndEdit(qwen);
        const answer = await connection.service.rejectReview(id, { text: 'edited, and the last keys\n' });
        expect(answer).to.deep.equal({ result: 'done', editsKept: true });
        const unedited = await propose(qwen);
        expect(await connection.service.rejectReview(unedited, { unedited: true })).to.deep.equal({ result: 'done' });
        const takenBack = await proposeAndEdit(qwen);
        await connection.service.updateReviewText(takenBack, edit(undefined, 2));
        await qwen.closeDiff(file, true);
        expect(await keptTexts()).to.deep.equal([['rejected', 'edited, and the last keys\n']]);
    });

    it('is kept where the CLI makes another proposal for the file, and where the server stops', async () => {
        await proposeAndEdit(qwen, 'edited first\n');
        await proposeAndEdit(qwen, 'edited second\n');
        await connection.service.hello(backend.window(page, { enabled: false }));
        expect(await keptTexts()).to.deep.equal([
            ['replaced', 'edited first\n'],
            ['ended', 'edited second\n']
        ]);
    });

    it('survives a reload, and is gone once it is discarded; a window with other roots neither sees nor discards it', async () => {
        await proposeAndEdit(qwen);
        await qwen.closeDiff(file, true);
        connection.disconnect();
        page = new TestPage();
        connection = backend.connect(page);
        const [{ id }] = await kept();

        const strange = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other', roots: [] } };
        expect((await hello(strange)).droppedEdits).to.deep.equal([]);
        expect(await strange.connection.service.readDroppedEdit(id)).to.equal(undefined);
        await strange.connection.service.discardDroppedEdit(id);

        expect(await connection.service.readDroppedEdit(id)).to.equal('edited\n');
        await connection.service.discardDroppedEdit(id);
        expect(await kept()).to.deep.equal([]);
        expect(await connection.service.readDroppedEdit(id)).to.equal(undefined);
    });

    it('is kept where it comes after the end, unless the CLI was given just that', async () => {
        const id = await propose(gemini);
        page.closed = { text: 'edited\n' };
        await gemini.closeDiff(file, true);
        // The mirror's message was still under way.
        await connection.service.updateReviewText(id, edit('edited\n'));
        expect(await kept()).to.deep.equal([]);
        await connection.service.updateReviewText(id, edit('edited while the socket was down\n', 2));
        expect(await keptTexts()).to.deep.equal([['late', 'edited while the socket was down\n']]);
    });

    it('is kept where the page was too busy to tell it to the CLI that closed the diff', async () => {
        const id = await propose(gemini);
        page.answers = false;
        await gemini.closeDiff(file, true);
        page.answerLate();
        await connection.service.updateReviewText(id, edit('edited\n'));
        expect(await keptTexts()).to.deep.equal([['late', 'edited\n']]);
    });

    it('is kept where another window shows the review by now; that window answers it for itself', async () => {
        const id = await proposeAndEdit(gemini);
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other' } };
        await hello(other);
        await other.connection.service.showReviewHere(id);
        const answer = await connection.service.acceptReview(id, { text: 'edited, and the last keys\n' });
        expect(answer).to.deep.equal({ result: 'late', how: 'moved' });
        expect(await keptTexts()).to.deep.equal([['late', 'edited, and the last keys\n']]);
        expect(await other.connection.service.acceptReview(id, {})).to.deep.equal({ result: 'done' });
        expect((await gemini.next('ide/diffAccepted')).params).to.include({ content: 'edited\n' });
    });

    it('is kept where the page says only which version it shows, and the review ended without that one', async () => {
        const id = await proposeAndEdit(gemini);
        const other = { page: new TestPage(), connection: backend.connect(new TestPage()), changes: { windowId: 'other' } };
        await hello(other);
        await other.connection.service.showReviewHere(id);
        const version = { writer: page.loadId, revision: 1 };
        expect(await connection.service.acceptReview(id, { version })).to.deep.equal({ result: 'late', how: 'moved' });
        expect(await kept()).to.deep.equal([]);
        // The news that the edits were taken back there is lost.
        expect(await other.connection.service.acceptReview(id, { unedited: true })).to.deep.equal({ result: 'done' });
        expect(await connection.service.rejectReview(id, { version })).to.deep.equal({ result: 'textNeeded' });
        expect(await connection.service.rejectReview(id, { text: 'edited\n' })).to.deep.equal({ result: 'late', how: 'accepted' });
        expect(await keptTexts()).to.deep.equal([['late', 'edited\n']]);
    });

    it('is not asked for again where the review ended with the version that the page shows', async () => {
        const id = await proposeAndEdit(gemini);
        await gemini.closeDiff(file, true);
        const version = { writer: page.loadId, revision: 1 };
        expect(await connection.service.acceptReview(id, { version })).to.deep.equal({ result: 'late', how: 'closed' });
        expect(await kept()).to.deep.equal([]);
    });

    it('is kept where the user accepts a file that has changed, which Qwen Code then does not write', async () => {
        const id = await proposeAndEdit(qwen);
        expect(await connection.service.acceptReview(id, { text: 'edited\n', fileChanged: true })).to.deep.equal({ result: 'done' });
        const other = await proposeAndEdit(gemini);
        await connection.service.acceptReview(other, { text: 'edited\n', fileChanged: true });
        const mirrored = await proposeAndEdit(qwen, 'mirrored\n');
        await connection.service.acceptReview(mirrored, { version: { writer: page.loadId, revision: 1 }, fileChanged: true });
        expect(await keptTexts()).to.deep.equal([
            ['refused', 'edited\n'],
            ['refused', 'mirrored\n']
        ]);
    });

    it('is kept where it was accepted, and the CLI ends before it gets that', async () => {
        const { port, token } = backend.discovered();
        const stopped = await TestCli.connect(port, token, 60_000);
        const id = await proposeAndEdit(stopped);
        stopped.muteStream();
        expect(await connection.service.acceptReview(id, { text: 'edited\n' })).to.deep.equal({ result: 'done' });
        await connection.service.hello(backend.window(page, { enabled: false }));
        expect(await keptTexts()).to.deep.equal([['ended', 'edited\n']]);
        await stopped.disconnect();
    });

    it('an accept that is sent again because its answer was lost was not late', async () => {
        const id = await proposeAndEdit(gemini);
        const accept = (): Promise<unknown> => connection.service.acceptReview(id, { text: 'edited\n' });
        expect(await accept()).to.deep.equal({ result: 'done' });
        expect(await accept()).to.deep.equal({ result: 'done' });
        expect(await connection.service.rejectReview(id, {})).to.deep.equal({ result: 'late', how: 'accepted' });
        expect((await gemini.next('ide/diffAccepted')).params).to.include({ content: 'edited\n' });
        expect(await gemini.settled()).to.deep.equal([]);
        expect(await kept()).to.deep.equal([]);
    });
});
