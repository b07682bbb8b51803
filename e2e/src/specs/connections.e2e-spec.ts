// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as path from 'path';
import { sampleText } from '../support/sample-text';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';
const MEGABYTE = 1024 ** 2;
const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'here.txt': 'here\n', 'there.txt': 'there\n' };

/** Theia's own option, as in its browser product and as in `theia init`. In milliseconds. */
for (const timeout of [3000, 0]) {
    describe(`A page that loses its socket, with frontendConnectionTimeout = ${timeout}`, () => {
        let workbench: Workbench;
        let client: ProtocolClient;
        let wasReloaded: () => Promise<boolean>;

        /** The page does the same where the backend drops the connection at once. */
        const itWhereItLingers = (title: string, test: () => Promise<void>): void => void (timeout > 0 && it(title, test));

        before(async () => {
            const environment = { FRONTEND_CONNECTION_TIMEOUT: String(timeout) };
            workbench = await Workbench.start({ proxy: true, environment, files: FILES });
            client = await ProtocolClient.connect(workbench.ide);
        });
        beforeEach(async () => {
            await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(false));
            wasReloaded = await workbench.page.mark();
        });
        after(async () => {
            await client?.disconnect();
            await workbench?.dispose();
        });

        it('for a moment, keeps its diff, and gets what was asked for meanwhile and the context after', async () => {
            await askBefore('short-before.txt');
            workbench.proxy.drop();
            await askMeanwhile('short-meanwhile.txt');
            await acceptBoth('short-meanwhile.txt', 'short-before.txt');
            expect(await wasReloaded()).to.equal(false);
            await expectContextOf('a.txt');
        });

        it('for longer, keeps its diff, and gets what was asked for meanwhile and the context after', async () => {
            await askBefore('long-before.txt');
            await loseForLong(() => askMeanwhile('long-meanwhile.txt'));
            await acceptBoth('long-meanwhile.txt', 'long-before.txt');
            expect(await wasReloaded()).to.equal(false);
            await expectContextOf('b.txt');
        });

        itWhereItLingers(
            'for longer, with an application that then reloads it (reloadOnReconnect): what was typed in the diff is restored',
            async () => {
                // Theia (1.74) would reload once more for each connection that it has lost before, and the browser would ask each time.
                await workbench.page.reload();
                wasReloaded = await workbench.page.mark();
                await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(true));
                const { diff, file } = await askBefore('reload-before.txt');
                await diff.typeAtEnd('typed\n');
                await loseForLong(async () => {
                    await diff.typeAtEnd('typed offline\n');
                    await askMeanwhile('reload-meanwhile.txt');
                });
                await eventually('the page to be loaded again', wasReloaded);
                await workbench.page.app.waitForShellAndInitialized();
                const restored = await workbench.page.waitForDiff(file);
                await eventually('what was typed offline', async () => (await restored.right()).includes('offline'));
                await restored.accept();
                const { params } = await client.waitForOutcome(file);
                expect(params.content).to.equal('proposed\ntyped\ntyped offline\n');
                await accept('reload-meanwhile.txt');
                await expectContextOf('a.txt');
            }
        );

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

        itWhereItLingers('what is typed after an answer that could not be sent goes into no file, and is offered', async () => {
            const { page } = workbench;
            const editor = await page.openFile('a.txt');
            await editor.focus();
            const { diff, file } = await askBefore('typed-on.txt');
            await diff.press('Control+End');
            workbench.proxy.cut();
            await diff.answerBy(() => page.press('Control+Enter'));
            await page.page.keyboard.type('typed on');
            workbench.proxy.restore();
            expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\n');
            await page.waitUntilNoDiff(file);
            await page.page.keyboard.type('into nothing');
            for (const [name, text] of [
                ['a.txt', 'a\n'],
                ['typed-on.txt', 'proposed\n']
            ]) {
                // In front, so that its editor has taken its text over.
                await page.openFile(name);
                const shown = (): Promise<string> => page.textOf(`file://${workbench.ide.file(name)}`);
                await eventually(`${name} as it was`, async () => (await shown()) === text, { state: shown });
            }
            await page.answerMessage('typed-on.txt', 'Show My Edits');
            expect((await page.waitForKeptEdit(file)).right).to.equal('proposed\ntyped on');
            await page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
            await eventually('its diff to be closed', async () => (await page.keptEdits()).length === 0);
        });

        itWhereItLingers(
            'what is typed while the socket is down, in a page that is loaded again before it is back: the browser asks first',
            async () => {
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
            }
        );

        itWhereItLingers(
            'what is typed while the socket is down and cannot be stored: a line above the diff says so until it has arrived',
            async () => {
                const { page } = workbench.page;
                const { diff, file } = await askBefore('not-stored.txt');
                await page.evaluate(() => {
                    const { setItem } = Storage.prototype;
                    Storage.prototype.setItem = function (key, value): void {
                        if (key.startsWith('companion.edits')) {
                            throw new DOMException('The quota is exceeded', 'QuotaExceededError');
                        }
                        setItem.call(this, key, value);
                    };
                });
                workbench.proxy.cut();
                await diff.typeAtEnd('typed meanwhile\n');
                await diff.waitForNotice('the browser cannot store what you typed');
                workbench.proxy.restore();
                await eventually('the notice to go', async () => !(await diff.notices()).join().includes('cannot store'));
                await diff.accept();
                expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\ntyped meanwhile\n');
                await workbench.page.waitUntilNoDiff();
            }
        );

        itWhereItLingers('what is typed while the socket is down in a diff that is closed to be kept', async () => {
            await workbench.page.setPreference('companion.review.onTabClose', 'keep');
            const { diff, file } = await askBefore('kept-meanwhile.txt');
            await diff.waitUntilCompared();
            workbench.proxy.cut();
            await diff.typeAtEnd('typed meanwhile\n');
            await diff.closeTab();
            await (await StatusPick.open(workbench.page.page)).choose('kept-meanwhile.txt');
            await delay(500);
            workbench.proxy.restore();
            const again = await workbench.page.waitForDiff(file);
            expect(await again.right()).to.equal('proposed\ntyped meanwhile\n');
            await workbench.page.setPreference('companion.review.onTabClose', 'reject');
            await client.closeDiff(file, true);
            await workbench.page.waitUntilNoDiff();
        });

        if (timeout > 0) {
            it('nothing, but on a slow line: what is typed while an accept is under way is kept, and offered', async () => {
                const { uplink } = workbench.proxy;
                const { page } = workbench;
                await workbench.ide.write('typed-after.txt', 'on disk\n');
                const { diff, file } = await askBefore('typed-after.txt');
                await diff.typeAtEnd('accepted');
                uplink.speed = { bitsPerSecond: 4_000_000, latency: 300 };
                await diff.answerBy(() => page.press('Control+Enter'));
                await page.page.keyboard.insertText(' too late');
                await client.waitForOutcome(file);
                uplink.speed = undefined;
                await page.answerMessage('Your last edits to typed-after.txt arrived after the proposal had ended', 'Show My Edits');
                expect((await page.waitForKeptEdit(file)).right).to.equal('proposed\naccepted too late');
                await page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
                await eventually('their diff to be closed', async () => (await page.keptEdits()).length === 0);
            });

            it('nothing, but on a slow line: a diff whose texts arrive when the user has begun to type opens behind', async () => {
                const { page, ide, proxy } = workbench;
                await ide.write('typed-in.txt', '');
                const editor = await page.openFile('typed-in.txt');
                await page.giveKeyboardToNothing();
                const { downlink } = proxy;
                downlink.speed = { bitsPerSecond: 4_000_000, latency: 80 };
                const before = downlink.bytes;
                const file = ide.file('large-and-late.txt');
                const opening = client.openDiff(file, sampleText(MEGABYTE, 'late'));
                await eventually('the proposal to be on its way', () => downlink.bytes - before > MEGABYTE / 8);
                await editor.focus();
                await page.page.keyboard.type('typed');
                downlink.speed = undefined;
                await opening;
                const diff = await page.waitForDiff(file);
                await page.page.keyboard.type(' on');
                expect(await diff.isCurrent()).to.equal(false);
                expect(await page.textOf(`file://${ide.file('typed-in.txt')}`)).to.equal('typed on');
                await page.waitForMessage('proposes changes to large-and-late.txt');
                await client.closeDiff(file);
                await page.waitUntilNoDiff();
                await page.press('Control+z', 'Control+s');
            });
        }

        it('the CLI has not noticed any of it', async () => {
            expect(client.errors).to.deep.equal([]);
            expect(await workbench.discovery.ports()).to.have.property('size', 1);
        });

        if (timeout > 0) {
            describe('because its device is away,', () => {
                let elsewhere: IdePage;

                before(async () => {
                    elsewhere = await workbench.openElsewhere();
                });

                it('shows what was made of its diffs on the other device, and loses nothing that was typed here meanwhile', async () => {
                    const [untouched, edited, both] = ['untouched.txt', 'edited.txt', 'both.txt'].map(name => workbench.ide.file(name));
                    await workbench.ide.write('both.txt', 'on disk\n');
                    for (const file of [untouched, edited, both]) {
                        await client.openDiff(file, 'proposed\n');
                    }
                    await (await workbench.page.waitForDiff(edited)).typeAtEnd('at home\n');
                    await delay(1_000);
                    workbench.proxy.cut();
                    await (await workbench.page.waitForDiff(both)).typeAtEnd('at home, asleep\n');
                    for (const file of [untouched, edited, both]) {
                        // By itself it opens there when the first page has been away for ten seconds.
                        await (await StatusPick.open(elsewhere.page)).choose(path.basename(file));
                        await (await elsewhere.waitForDiff(file)).typeAtEnd('elsewhere\n');
                    }
                    await delay(1_000);

                    workbench.proxy.restore();
                    const expectations: Array<[string, string]> = [
                        [untouched, 'proposed\nelsewhere\n'],
                        [edited, 'proposed\nat home\nelsewhere\n']
                    ];
                    for (const [file, content] of expectations) {
                        const diff = await workbench.page.waitForDiff(file);
                        await diff.activate();
                        await eventually('the text of the other device', async () => (await diff.right()) === content, {
                            state: () => diff.right()
                        });
                        await diff.accept();
                        expect((await client.waitForOutcome(file)).params.content).to.equal(content);
                    }
                    // Who typed last wins on every screen; the other text is offered.
                    const last = 'proposed\nat home, asleep\n';
                    const there = await elsewhere.waitForDiff(both);
                    await eventually('the text of the first device on the other one', async () => (await there.right()) === last, {
                        state: () => there.right()
                    });
                    const diff = await workbench.page.waitForDiff(both);
                    expect(await diff.right()).to.equal(last);
                    await workbench.page.answerMessage('both.txt on another page was not accepted', 'Show My Edits');
                    expect((await workbench.page.waitForKeptEdit(both)).right).to.equal('proposed\nelsewhere\n');
                    await workbench.page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
                    await eventually('its diff to be closed', async () => (await workbench.page.keptEdits()).length === 0);
                    await diff.accept();
                    expect((await client.waitForOutcome(both)).params.content).to.equal(last);
                    await elsewhere.waitUntilNoDiff();
                });

                it('for good: its tab is closed, a CLI waits, and a tab that is opened later shows the diff', async () => {
                    const file = workbench.ide.file('closed-tab.txt');
                    await elsewhere.page.context().close();
                    await client.openDiff(file, 'proposed\n');
                    await workbench.page.waitForDiff(file);
                    await workbench.page.close();
                    const other = workbench.ide.file('asked-without-a-tab.txt');
                    await client.openDiff(other, 'proposed\n');
                    expect(await client.closeDiff(other, true)).to.deep.include({
                        content: [{ type: 'text', text: '{"content":"proposed\\n"}' }]
                    });
                    workbench.page = await workbench.openPage();
                    await (await workbench.page.waitForDiff(file)).accept();
                    await client.waitForOutcome(file);
                    expect(await client.settledOutcomes(file)).to.have.length(1);
                    expect(client.errors).to.deep.equal([]);
                });
            });
        }

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
}
