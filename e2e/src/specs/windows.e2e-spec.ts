// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

describe('Windows of one backend', () => {
    let workbench: Workbench;
    let file: DiscoveryFile;
    let client: ProtocolClient;

    before(async () => {
        workbench = await Workbench.start();
        [file] = await workbench.discovery.published();
        client = await ProtocolClient.connect(workbench.ide);
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it('a duplicated tab is a separate window, which shows its own reviews and no others', async () => {
        const { page } = workbench.page;
        const [copy] = await Promise.all([
            page.waitForEvent('popup'),
            // Without `noopener` the new tab begins with a copy of the session storage, as a duplicated one does.
            page.evaluate(() => void window.open(location.href))
        ]);
        const duplicate = await IdePage.of(copy, workbench.ide.workspace);
        const theirs = await workbench.discovery.serverWith('the duplicate', ({ port }) => port !== file.port);
        const theirClient = await ProtocolClient.connectTo(theirs);
        const name = workbench.ide.file('apart.txt');
        await theirClient.openDiff(name, 'theirs\n');
        await client.openDiff(name, 'ours\n');
        expect(await (await workbench.page.waitForDiff(name)).right()).to.equal('ours\n');
        await client.closeDiff(name, true);
        await workbench.page.waitUntilNoDiff();
        await (await duplicate.waitForDiff(name)).accept();
        expect((await theirClient.waitForOutcome(name)).params.content).to.equal('theirs\n');
        expect(await client.settledOutcomes(name)).to.deep.equal([]);
        await theirClient.disconnect();
        expect(await idOf(duplicate)).not.to.equal(await idOf(workbench.page));
        await duplicate.reload();
        expect(await workbench.discovery.ports()).to.deep.equal(new Set([file.port, theirs.port]));
        await duplicate.close();
    });

    it('C8: trust that is refused when Theia asks is reported as refused', async () => {
        await workbench.ide.changeSettings({
            'security.workspace.trust.enabled': true,
            'security.workspace.trust.startupPrompt': 'always'
        });
        const before = await workbench.discovery.ports();
        const page = await workbench.openElsewhere();
        const theirs = await workbench.discovery.serverWith('the new window', ({ port }) => !before.has(port));
        const refused = await ProtocolClient.connectTo(theirs);
        const answer = page.page.getByRole('button', { name: "No, I don't trust the authors" });
        await answer.waitFor();
        expect(refused.trusted, 'while the question is open').to.equal(undefined);
        await answer.click();
        await eventually('the trust that was refused', () => refused.trusted === false);
        const later = await ProtocolClient.connectTo(theirs);
        await eventually('the same for a CLI that comes later', () => later.trusted === false);
        await later.disconnect();
        await refused.disconnect();
    });

    function idOf({ page }: IdePage): Promise<string | null> {
        return page.evaluate(() => sessionStorage.getItem('companion.windowId'));
    }
});
