// SPDX-License-Identifier: Apache-2.0

import { Locator, Page } from '@playwright/test';
import { expect } from 'chai';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes } from '../support/settled-outcomes';
import { Workbench } from '../support/workbench';

const MOVE = 'extract-widget';

/** Theia can move an editor into a browser window of its own; the page, and so the companion's window, stays the same. */
describe('A review in a secondary window', () => {
    let workbench: Workbench;
    let client: ProtocolClient;
    let file: string;
    let diff: ReviewDiff;
    let popup: Page;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        await workbench.page.openFile('notes.txt');
    });

    beforeEach(async () => {
        file = workbench.ide.file(`secondary-${++number}.txt`);
        await client.openDiff(file, 'proposed\n');
        diff = await workbench.page.waitForDiff(file);
        await diff.typeAtEnd('edited\n');
        const opened = workbench.page.page.context().waitForEvent('page');
        await diff.pressButton(MOVE);
        popup = await opened;
        await right().waitFor();
        await focusPopup();
    });

    afterEach(() => popup.close());

    it('is accepted there by the keyboard, with what was typed there and before', async () => {
        await right().locator('.view-lines').first().click();
        await popup.keyboard.press('Control+End');
        await popup.keyboard.insertText('there\n');
        // The window may close before the keys are up again.
        await popup.keyboard.press('Control+Enter').catch(() => undefined);
        await expectClosed();
        await expectOutcome('ide/diffAccepted', 'proposed\nedited\nthere\n');
    });

    it('shows its notices there, and is rejected there by the button, once', async () => {
        await workbench.ide.write(`secondary-${number}.txt`, 'made meanwhile\n');
        const notice = popup.locator('.companion-review-notice', { hasText: 'a file with this name has been created' });
        await notice.waitFor();
        const editor = (await right().boundingBox())!;
        const { y, height } = (await notice.boundingBox())!;
        expect(y + height, 'above the diff, so that it covers no text').to.be.at.most(editor.y);
        await diff.answerBy(() => popup.locator('[id="companion.review.reject"]').click());
        await expectClosed();
        await expectOutcome('ide/diffRejected');
    });

    it('comes back into the page when its window is closed, with what was typed, and undecided', async () => {
        await popup.close({ runBeforeUnload: true });
        await diff.activate();
        expect(await diff.right()).to.equal('proposed\nedited\n');
        expect(await settledOutcomes(client, workbench.page, workbench.ide, file)).to.deep.equal([]);
        await diff.accept();
        await expectOutcome('ide/diffAccepted', 'proposed\nedited\n');
    });

    /** As when the user goes there. Playwright has every page believe that it has the focus, and Monaco takes the first that says so. */
    async function focusPopup(): Promise<void> {
        await popup.waitForFunction(() => document.activeElement?.closest('.editor.modified'));
        await workbench.page.page.evaluate(() => {
            document.hasFocus = () => false;
            (document.activeElement as HTMLElement).blur();
        });
        await popup.evaluate(() => {
            const element = document.activeElement as HTMLElement;
            element.blur();
            element.focus();
        });
        popup.once(
            'close',
            () => void workbench.page.page.evaluate(() => Reflect.deleteProperty(document, 'hasFocus')).catch(() => undefined)
        );
    }

    function right(): Locator {
        return popup.locator('.editor.modified');
    }

    async function expectClosed(): Promise<void> {
        await eventually('the secondary window to close', async () => popup.isClosed());
        expect((await workbench.page.diffs()).map(({ path }) => path)).not.to.include(file);
    }

    async function expectOutcome(method: string, content?: string): Promise<void> {
        const outcome = await client.waitForOutcome(file);
        expect(outcome).to.deep.equal({ method, params: content === undefined ? { filePath: file } : { filePath: file, content } });
        expect(await settledOutcomes(client, workbench.page, workbench.ide, file)).to.have.length(1);
    }
});
