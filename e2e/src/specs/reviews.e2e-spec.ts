// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
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

    it('X4, X6: closeDiff answers the text as the user edited it, and closes the diff', async () => {
        const { diff, file } = await open('closed-by-cli.txt', 'proposed\n');
        await diff.typeAtEnd('edited\n');
        const result = await client.closeDiff(file, true);
        expect(result.isError ?? false).to.equal(false);
        expect(result.content).to.deep.equal([{ type: 'text', text: JSON.stringify({ content: 'proposed\nedited\n' }) }]);
        await workbench.page.waitUntilNoDiff(file);
        expect(await settledOutcomes(file)).to.deep.equal([]);
    });

    it('N1, N3, N4: the button, Ctrl+Enter and Ctrl+S send what the user made of it, and Ctrl+Alt+Backspace rejects', async () => {
        const gestures: Array<(diff: ReviewDiff) => Promise<void>> = [
            diff => diff.accept(),
            diff => diff.press('Control+Enter'),
            diff => diff.press('Control+s')
        ];
        for (const [index, accept] of gestures.entries()) {
            const { diff, file } = await open(`accepted-${index}.txt`, 'proposed\n');
            await diff.typeAtEnd('edited\n');
            await accept(diff);
            expect(await client.waitForOutcome(file)).to.deep.equal({
                method: ACCEPTED,
                params: { filePath: file, content: 'proposed\nedited\n' }
            });
        }
        const { diff, file } = await open('rejected-by-key.txt', 'unwanted\n');
        await diff.press('Control+Alt+Backspace');
        expect((await client.waitForOutcome(file)).method).to.equal(REJECTED);
        await workbench.page.waitUntilNoDiff();
    });

    it('N5: closing the tab, even of an edited diff, is a rejection', async () => {
        const { diff, file } = await open('tab-closed.txt', 'unwanted\n');
        await diff.typeAtEnd('edited\n');
        await diff.closeTab();
        expect(await client.waitForOutcome(file)).to.deep.equal({ method: REJECTED, params: { filePath: file } });
        await workbench.page.waitUntilNoDiff();
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
