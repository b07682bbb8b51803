// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

describe('Preferences for reviews, and the list of those that wait', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
    });

    describe('preferences', () => {
        it('a workspace does not widen what is shared', async () => {
            const before = client.contexts.length;
            await page.openFile('.env');
            await page.openFile('notes.txt');
            const files = await client.waitForContext(
                'the open file to be told',
                list => list[0]?.path === workbench.ide.file('notes.txt')
            );
            expect(files.map(file => file.path)).to.not.include(workbench.ide.file('.env'));
            expect(
                client.contexts
                    .slice(before)
                    .flat()
                    .some(file => file.path.endsWith('.env'))
            ).to.equal(false);
            await page.setPreference('companion.context.share', false);
            await client.waitForContext('nothing to be told', list => list.length === 0);
            await page.setPreference('companion.context.share', true);
            await client.waitForContext('the open file to be told again', list => list.length > 0);
        });
    });

    describe('waiting reviews', () => {
        it('lists reviews of another window with the same workspace, and shows them here, too, before they are answered', async () => {
            const second = await workbench.openPage();
            const kept = await open();
            const both = await open();
            await kept.diff.typeAtEnd('edited\n');
            await second.page.bringToFront();
            await second.waitForStatus('2 proposals waiting');
            expect(await second.diffs(), 'diffs that open there by themselves').to.have.length(0);
            await (await StatusPick.open(second.page)).choose(path.basename(both.file));
            // One text, in both windows.
            await (await second.waitForDiff(both.file)).typeAtEnd('typed there\n');
            await page.page.bringToFront();
            await eventually('what was typed there', async () => (await both.diff.right()) === 'proposed\ntyped there\n', {
                state: () => both.diff.right()
            });
            expect(await settledOutcomes(both.file)).to.deep.equal([]);
            await both.diff.accept();
            expect((await client.waitForOutcome(both.file)).params.content).to.equal('proposed\ntyped there\n');
            await second.page.bringToFront();
            await second.waitUntilNoDiff(both.file);
            // Nobody has seen it in that window.
            await (await StatusPick.open(second.page)).pressButton(path.basename(kept.file), 'check');
            const keptHere = await second.waitForDiff(kept.file);
            expect(await settledOutcomes(kept.file)).to.deep.equal([]);
            // The edit is mirrored a moment after the last key.
            await eventually('the edit to be mirrored', async () => (await keptHere.right()).includes('edited'));
            await keptHere.accept();
            expect((await client.waitForOutcome(kept.file)).params.content).to.equal('proposed\nedited\n');
            await page.waitUntilNoDiff(kept.file);
            expect(await settledOutcomes(kept.file)).to.have.length(1);
            await second.close();
            await page.page.bringToFront();
        });
    });

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    /** Opens a review of a file of its own, which is new unless there is something on disk. */
    async function open(
        disk?: string,
        name = `list-${++number}.txt`,
        proposal = 'proposed\n'
    ): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
