// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spoilPage } from '../support/before-theia';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

describe('A backend that is silent while a page starts', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        workbench = await Workbench.start();
        client = await ProtocolClient.connect(workbench.ide);
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it('a review whose text does not come while the layout is restored opens afterwards, and is not rejected by that', async () => {
        const file = workbench.ide.file('proposed.txt');
        await client.openDiff(file, 'proposed\n');
        await workbench.page.waitForDiff(file);
        const { page } = workbench.page;
        const dropped = page.waitForEvent('console', message => message.text().includes("Couldn't restore widget"));
        await page.addInitScript(spoilPage, { lose: { service: 'CompanionBackend', method: 'readReview', times: 1 } });
        await workbench.page.reload();
        await dropped;
        const diff = await workbench.page.waitForDiff(file);
        expect(await diff.right()).to.equal('proposed\n');
        expect(await client.settledOutcomes(file)).to.deep.equal([]);
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\n');
    });
});
