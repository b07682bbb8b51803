// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';
import { describeRestart } from './restart';

const ACCEPTED = 'ide/diffAccepted';
const FILES = { 'b.txt': 'b\n' };

describe('A page and its backend', () => {
    let workbench: Workbench;

    before(async () => {
        // Theia's own option, in milliseconds, as in its browser product: the backend keeps the connection for so long.
        workbench = await Workbench.start({ proxy: true, environment: { FRONTEND_CONNECTION_TIMEOUT: '3000' }, files: FILES });
    });
    after(() => workbench?.dispose());

    describe('whose socket is lost', () => {
        let client: ProtocolClient;
        let wasReloaded: () => Promise<boolean>;

        before(async () => {
            client = await ProtocolClient.connect(workbench.ide);
        });
        beforeEach(async () => {
            await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(false));
            wasReloaded = await workbench.page.mark();
        });
        after(() => client?.disconnect());

        it('keeps its diff, and gets what was asked for meanwhile and the context after', async () => {
            await askBefore('before.txt');
            await loseForLong(() => askMeanwhile('meanwhile.txt'));
            await acceptBoth('meanwhile.txt', 'before.txt');
            expect(await wasReloaded()).to.equal(false);
            await expectContextOf('b.txt');
            expect(client.errors, 'the CLI has not noticed any of it').to.deep.equal([]);
            expect(await workbench.discovery.ports()).to.have.property('size', 1);
        });

        it('a diff that is closed, or decided, while the socket is down: the CLI gets the answer after all', async () => {
            const closed = await askBefore('closed-meanwhile.txt');
            const accepted = await askBefore('accepted-meanwhile.txt');
            workbench.proxy.cut();
            // Theia delivers the first message of those that are sent now, and loses the others.
            await accepted.diff.typeAtEnd('typed meanwhile\n');
            await delay(500);
            await closed.diff.closeTab();
            await accepted.diff.accept();
            await accepted.diff.waitForNotice('Accepted. Waiting for the connection.');
            await workbench.page.page.locator('.companion-review-notice-action', { hasText: 'Take Back' }).click();
            await eventually('the notice to go', async () => !(await accepted.diff.notices()).join().includes('Waiting'));
            await accepted.diff.accept();
            await accepted.diff.waitForNotice('Accepted. Waiting for the connection.');
            workbench.proxy.restore();
            expect((await client.waitForOutcome(closed.file)).method).to.equal('ide/diffRejected');
            await client.waitForOutcome(accepted.file);
            expect(client.outcomes(accepted.file)).to.deep.equal([
                { method: ACCEPTED, params: { filePath: accepted.file, content: 'proposed\ntyped meanwhile\n' } }
            ]);
            await workbench.page.waitUntilNoDiff();
            expect(await client.settledOutcomes(closed.file)).to.have.length(1);
            expect(await client.settledOutcomes(accepted.file)).to.have.length(1);
        });

        it('what is typed while the socket is down, in a page that is loaded again before it is back: the browser asks first', async () => {
            const { page } = workbench;
            const { diff, file } = await askBefore('reloaded-offline.txt');
            await diff.waitUntilCompared();
            workbench.proxy.cut();
            await diff.typeAtEnd('typed offline\n');
            await delay(500);
            const asked = new Promise<string>(resolve =>
                page.page.once('dialog', async dialog => {
                    resolve(dialog.type());
                    // Only the line is back: the socket needs longer.
                    workbench.proxy.restore();
                    await dialog.accept();
                })
            );
            await page.reload();
            expect(await asked).to.equal('beforeunload');
            const again = await page.waitForDiff(file);
            await eventually('the typed text', async () => (await again.right()) === 'proposed\ntyped offline\n', {
                state: () => again.right()
            });
            await again.accept();
            expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\ntyped offline\n');
            await page.waitUntilNoDiff();
        });

        async function askBefore(name: string): Promise<{ file: string; diff: Awaited<ReturnType<IdePage['waitForDiff']>> }> {
            const file = workbench.ide.file(name);
            await client.openDiff(file, 'proposed\n');
            return { file, diff: await workbench.page.waitForDiff(file) };
        }

        /** The answer does not wait for the page. */
        async function askMeanwhile(name: string): Promise<void> {
            expect(await client.openDiff(workbench.ide.file(name), 'proposed\n')).to.deep.include({ content: [] });
        }

        async function loseForLong(meanwhile: () => Promise<void>): Promise<void> {
            const ended = closings();
            workbench.proxy.cut();
            await meanwhile();
            await eventually('the backend to give the connection up', () => closings() > ended);
            workbench.proxy.restore();
        }

        function closings(): number {
            return workbench.ide.log.split('closing connection for').length;
        }

        /** What was asked for meanwhile comes first: it shows that the socket is back. */
        async function acceptBoth(...names: string[]): Promise<void> {
            for (const name of names) {
                await accept(name);
            }
            await workbench.page.waitUntilNoDiff();
        }

        async function accept(name: string): Promise<void> {
            const file = workbench.ide.file(name);
            await (await workbench.page.waitForDiff(file)).accept();
            await client.waitForOutcome(file);
            expect((await client.settledOutcomes(file)).map(({ method }) => method)).to.deep.equal([ACCEPTED]);
        }

        async function expectContextOf(name: string): Promise<void> {
            await workbench.page.openFile(name);
            await client.waitForContext(name, ([first]) => first?.path === workbench.ide.file(name) && first.isActive === true);
        }
    });

    describeRestart(() => workbench);
});
