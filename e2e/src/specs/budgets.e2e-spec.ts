// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { sampleText } from '../support/sample-text';
import { Account, takeAccount } from '../support/account';
import { BackendInspector } from '../support/backend-inspector';
import { BundleSizes } from '../support/bundle-sizes';
import { IdeFixture } from '../support/ide-fixture';
import { countLoadedModules } from '../support/loaded-modules';
import { installPageMeter, Traffic, trafficOf } from '../support/page-meter';
import { ProtocolClient } from '../support/protocol-client';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';
import { BUDGETS } from './budgets';
import { describeLeaks } from './leaks';

const EDITORS = 10;
const CYCLES = 10;
const WARM_UP = 5;
const KB = 1024;
/** Of texts, in KB. */
const SIZES = [1, 100] as const;

type BudgetName = keyof typeof BUDGETS;
/** What page and backend talk about. */
type Exchange = BudgetName extends infer Name ? (Name extends `messages of ${infer What}` ? What : never) : never;

describe('Budgets', () => {
    const measured = new Set<string>();

    it('of the bundles', () => {
        const frontEnd = new BundleSizes('frontend', 'bundle');
        const backEnd = new BundleSizes('backend', 'main');
        keep({
            "bytes in the front end's bundle: theia-cli-companion": frontEnd.addedBy('theia-cli-companion'),
            "bytes in the front end's bundle: theia-qwen-daemon": frontEnd.addedBy('theia-qwen-daemon'),
            "bytes in the back end's bundle: theia-cli-companion": backEnd.addedBy('theia-cli-companion'),
            "bytes in the back end's bundle: theia-qwen-daemon": backEnd.addedBy('theia-qwen-daemon')
        });
    });

    it("of the backend's start", async () => {
        const ide = await IdeFixture.start({ main: 'src-gen/backend/main.js', inspectable: true });
        try {
            const inspector = await BackendInspector.open(ide);
            const modules = await inspector.evaluate(countLoadedModules);
            inspector.close();
            keep({
                "modules at the backend's start: theia-cli-companion": modules['theia-cli-companion'],
                "modules at the backend's start: theia-qwen-daemon": modules['theia-qwen-daemon']
            });
        } finally {
            await ide.dispose();
        }
    });

    describe('of a window', () => {
        let workbench: Workbench;
        let terminal: Terminal;
        let client: ProtocolClient;
        let inspector: BackendInspector;

        before(async () => {
            const names = Array.from({ length: EDITORS }, (_, number) => `file-${number}.txt`);
            workbench = await Workbench.start({
                inspectable: true,
                files: {
                    ...Object.fromEntries(names.map(name => [name, 'one\ntwo\n'])),
                    ...Object.fromEntries(SIZES.map(size => [`${size}.txt`, sampleText(size * KB)]))
                },
                pageScripts: [`(${installPageMeter})()`]
            });
            inspector = await BackendInspector.open(workbench.ide);
            client = await ProtocolClient.connect(workbench.ide);
            for (const name of names) {
                await workbench.page.openFile(name);
            }
            terminal = await workbench.page.openTerminal();
        });
        after(async () => {
            inspector?.close();
            await client?.disconnect();
            await workbench?.dispose();
        });

        it('for a context update', async () => {
            await workbench.page.press('ArrowDown');
            await keepTraffic('a context update', async () => {
                await workbench.page.press('ArrowUp');
                await client.waitForContext('the first line', files => files[0]?.cursor?.line === 1);
            });
        });

        // The file that is shown after an accept is a context update, which has its own line.
        before(() => workbench.page.setPreference('companion.review.afterAccept', 'stay'));

        it(`for the focus, with ${EDITORS} editors`, async () => {
            await keepTraffic('a focus', () => workbench.page.page.evaluate(() => window.dispatchEvent(new Event('focus'))));
        });

        for (const size of SIZES) {
            it(`for a review of ${size} KB`, async () => {
                const file = workbench.ide.file(`${size}.txt`);
                const text = sampleText(size * KB, 'proposed');
                await leaveEditors();
                await keepTraffic(`a review of ${size} KB that is closed`, async () => {
                    await client.openDiff(file, text);
                    await (await workbench.page.waitForDiff(file)).changes();
                    await client.closeDiff(file);
                    await workbench.page.waitUntilNoDiff();
                });
                await leaveEditors();
                await keepTraffic(`a review of ${size} KB that is accepted`, async () => {
                    await client.openDiff(file, text);
                    const diff = await workbench.page.waitForDiff(file);
                    await diff.changes();
                    await diff.accept();
                    await workbench.page.waitUntilNoDiff();
                });
            });
        }

        it(`after ${CYCLES} reviews that opened and closed`, async () => {
            // What is made once and kept, such as Monaco's shared services, is there afterwards.
            await review(WARM_UP);
            const [before, timers, editors] = await account();
            await review(CYCLES);
            const [after, timersAfter, editorsAfter] = await account();
            keep({
                'left by reviews: listeners of elements': after.listeners - before.listeners,
                'left by reviews: listeners of services': after.serviceListeners - before.serviceListeners,
                'left by reviews: timers of the page': timersAfter - timers,
                'left by reviews: diff editors': editorsAfter - editors,
                'left by reviews: text models': after.models.length - before.models.length,
                'left by reviews: nodes': after.nodes - before.nodes,
                'left by reviews: listeners of the backend': after.backend.listeners - before.backend.listeners,
                'left by reviews: timers of the backend': after.backend.timers - before.backend.timers,
                'left by reviews: descriptors of the backend': after.descriptors - before.descriptors
            });
        });

        describeLeaks(() => ({ workbench, client, inspector }));

        async function review(times: number): Promise<void> {
            const file = workbench.ide.file('file-0.txt');
            for (let time = 0; time < times; time++) {
                await leaveEditors();
                await client.openDiff(file, `proposal ${time}\n`);
                await workbench.page.page.evaluate(() => window.companionProbe.noteDiffs());
                await client.closeDiff(file);
                await workbench.page.waitUntilNoDiff();
            }
        }

        /** A diff opens behind what a user types in, and says so, which is another matter. */
        function leaveEditors(): Promise<void> {
            return terminal.focus();
        }

        async function account(): Promise<[Account, number, number]> {
            // Nothing is on its way, and no timer of the last review runs.
            await trafficOf(workbench.page.page, async () => undefined);
            const timers = await workbench.page.page.evaluate(() => window.companionMeter.timers());
            const found = await takeAccount(workbench, inspector);
            return [found, timers, await workbench.page.page.evaluate(() => window.companionProbe.noteDiffs())];
        }

        async function keepTraffic(name: Exchange, action: () => Promise<unknown>): Promise<void> {
            const { messages, bytes }: Traffic = await trafficOf(workbench.page.page, action);
            keep({ [`messages of ${name}`]: messages, [`bytes of ${name}`]: bytes });
        }
    });

    // In a group of its own: mocha runs the tests of a group before the groups in it.
    describe('in their file', () => {
        it('are all looked at', () => {
            expect([...measured]).to.have.members(Object.keys(BUDGETS));
        });
    });

    /** Says of every budget that was not kept what it is and why. */
    function keep(values: Partial<Record<BudgetName, number>>): void {
        const over = Object.entries(values).flatMap(([name, value]) => {
            measured.add(name);
            const { most, reason } = BUDGETS[name as BudgetName];
            return value <= most ? [] : `${name}: ${value} instead of at most ${most} (${reason})`;
        });
        expect(over.join('\n')).to.equal('');
    }
});
