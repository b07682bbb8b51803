// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';
const REJECTED = 'ide/diffRejected';

describe('Reviews, seen by an MCP client', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
    });

    it('O6: opens a diff of the file on disk and the proposal; only the proposal is editable', async () => {
        const { diff, file } = await open('numbers.txt', 'one\nTWO\n');
        const { left, right, leftEditable, rightEditable } = await diff.texts();
        expect({ left, right, leftEditable, rightEditable }).to.deep.equal({
            left: 'one\ntwo\n',
            right: 'one\nTWO\n',
            leftEditable: false,
            rightEditable: true
        });
        await diff.typeAtEnd('three\n');
        expect(await diff.right()).to.equal('one\nTWO\nthree\n');
        await client.closeDiff(file);
    });

    it('O6: shows a new file beside an empty side', async () => {
        const { diff, file } = await open('new.txt', 'new\n');
        expect(await diff.left()).to.equal('');
        await client.closeDiff(file);
    });

    it('X4, X6: closeDiff answers the text as the user edited it, and closes the diff', async () => {
        const { diff, file } = await open('closed-by-cli.txt', 'proposed\n');
        await diff.typeAtEnd('edited\n');
        const result = await client.closeDiff(file, true);
        expect(result.isError ?? false).to.equal(false);
        expect(result.content).to.deep.equal([{ type: 'text', text: JSON.stringify({ content: 'proposed\nedited\n' }) }]);
        await workbench.page.waitUntilNoDiff(file);
        expect(await settledOutcomes(file)).to.deep.equal([]);
    });

    it('N1, N2: accepting sends the path and the content as they were received', async () => {
        const content = 'mixed\r\nline ends\n\uFEFFand a mark';
        const { diff, file } = await open('accepted.txt', content);
        await diff.accept();
        expect(await client.waitForOutcome(file)).to.deep.equal({ method: ACCEPTED, params: { filePath: file, content } });
        await workbench.page.waitUntilNoDiff(file);
    });

    it('N3: accepting sends what the user made of the proposal', async () => {
        const { diff, file } = await open('edited-and-accepted.txt', 'proposed\n');
        await diff.typeAtEnd('edited\n');
        await diff.accept();
        expect(await client.waitForOutcome(file)).to.deep.equal({
            method: ACCEPTED,
            params: { filePath: file, content: 'proposed\nedited\n' }
        });
    });

    it('N1: accepts with Ctrl+Enter and with Ctrl+S in the diff', async () => {
        for (const keys of ['Control+Enter', 'Control+s']) {
            const { diff, file } = await open(`accepted with ${keys}.txt`, 'proposed\n');
            await diff.press(keys);
            expect(await client.waitForOutcome(file)).to.deep.equal({
                method: ACCEPTED,
                params: { filePath: file, content: 'proposed\n' }
            });
        }
    });

    it('N4, N6: rejecting sends the path, byte for byte as it was received', async () => {
        await fs.mkdir(workbench.ide.file('folder'), { recursive: true });
        const received = `${workbench.ide.workspace}/folder/../rejected ü%20.txt`;
        await client.openDiff(received, 'unwanted\n');
        const diff = await workbench.page.waitForDiff(path.normalize(received));
        await diff.reject();
        expect(await client.waitForOutcome(received)).to.deep.equal({ method: REJECTED, params: { filePath: received } });
        await workbench.page.waitUntilNoDiff();
    });

    it('N4: rejects with Ctrl+Alt+Backspace', async () => {
        const { diff, file } = await open('rejected-by-key.txt', 'unwanted\n');
        await diff.press('Control+Alt+Backspace');
        expect((await client.waitForOutcome(file)).method).to.equal(REJECTED);
    });

    it('N5: closing the tab, even of an edited diff, is a rejection', async () => {
        const { diff, file } = await open('tab-closed.txt', 'unwanted\n');
        await diff.typeAtEnd('edited\n');
        await diff.closeTab();
        expect(await client.waitForOutcome(file)).to.deep.equal({ method: REJECTED, params: { filePath: file } });
        await workbench.page.waitUntilNoDiff();
    });

    it('N7: exactly one outcome leaves, however the review ends', async () => {
        const ends: Array<[string, (diff: ReviewDiff) => Promise<void>]> = [
            ['accepted', diff => diff.accept()],
            ['rejected', diff => diff.reject()],
            ['closed', diff => diff.closeTab()]
        ];
        for (const [name, end] of ends) {
            const { diff, file } = await open(`once-${name}.txt`, 'proposed\n');
            await end(diff);
            await client.waitForOutcome(file);
            await workbench.page.waitUntilNoDiff(file);
            expect(await settledOutcomes(file), name).to.have.length(1);
        }
    });

    it('does not accept a proposal that the user emptied: the CLIs would write the whole of it', async () => {
        const { diff, file } = await open('emptied.txt', 'proposed\n');
        await diff.replaceAll('');
        await diff.press('Control+Enter');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        expect(await diff.isOpen()).to.equal(true);
        await client.closeDiff(file);
    });

    it('opens a file outside the workspace with a notice', async () => {
        const file = path.join(workbench.ide.root, 'outside.txt');
        expect(await client.openDiff(file, 'text\n')).to.deep.include({ content: [] });
        const diff = await workbench.page.waitForDiff(file);
        await eventually('the notice', async () => (await diff.notices()).some(text => text.includes('outside this workspace')));
        await client.closeDiff(file);
    });

    it('opens a file that is binary, or vanished while it was reviewed', async () => {
        await fs.writeFile(workbench.ide.file('binary.dat'), Buffer.from([0, 255, 254, 1, 0]));
        const { diff, file } = await open('binary.dat', 'text\n');
        await eventually('the notice', async () => (await diff.notices()).some(text => text.includes('not a text file')));
        expect(await diff.left()).to.equal('');
        await client.closeDiff(file);

        const vanishing = await open('numbers.txt', 'one\n');
        await fs.rm(workbench.ide.file('numbers.txt'));
        await eventually('the left side to be empty', async () => (await vanishing.diff.left()) === '');
        await vanishing.diff.accept();
        expect((await client.waitForOutcome(vanishing.file)).method).to.equal(ACCEPTED);
    });

    it('opens a file that is not UTF-8: Theia recognizes it by its mark, or shows some characters as another one', async () => {
        await fs.writeFile(workbench.ide.file('marked.txt'), Buffer.from('\uFEFFcaf\u00e9\n', 'utf16le'));
        const marked = await open('marked.txt', 'text\n');
        expect(await marked.diff.left()).to.equal('caf\u00e9\n');
        await client.closeDiff(marked.file);

        await fs.writeFile(workbench.ide.file('latin.txt'), Buffer.from('caf\u00e9\n', 'latin1'));
        const { diff, file } = await open('latin.txt', 'text\n');
        expect(await diff.left()).to.equal('caf\uFFFD\n');
        await eventually('the notice', async () =>
            (await diff.notices()).some(text => text.includes('The encoding of the file on disk is not known'))
        );
        await client.closeDiff(file);
    });

    it('shows several diffs side by side, each with its own outcome', async () => {
        const first = await open('first.txt', 'first\n');
        const second = await open('second.txt', 'second\n');
        await first.diff.reject();
        await second.diff.accept();
        expect((await client.waitForOutcome(first.file)).method).to.equal(REJECTED);
        expect((await client.waitForOutcome(second.file)).method).to.equal(ACCEPTED);
    });

    it('sends an outcome only to the client that asked', async () => {
        const other = await ProtocolClient.connect(workbench.ide, 'qwen-lock');
        const { diff, file } = await open('whose.txt', 'proposed\n');
        await diff.accept();
        await client.waitForOutcome(file);
        expect(await other.settledOutcomes(file)).to.deep.equal([]);
        await other.disconnect();
    });

    async function open(name: string, content: string): Promise<{ diff: ReviewDiff; file: string }> {
        const file = workbench.ide.file(name);
        expect(await client.openDiff(file, content)).to.deep.include({ content: [] });
        return { diff: await workbench.page.waitForDiff(file), file };
    }

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, workbench.page, workbench.ide, file);
    }
});
