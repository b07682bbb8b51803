// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { DOC_IMAGES } from '../support/project-paths';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

const FILE = 'src/prices.js';
const ON_DISK = `export function total(items) {
    let sum = 0;
    for (const item of items) {
        sum += item.price;
    }
    return sum;
}

export function describe(items) {
    return items.map(item => item.name).join(', ');
}
`;
const LOOP = `    let sum = 0;
    for (const item of items) {
        sum += item.price;
    }
    return sum;
`;
const REDUCED = '    return items.reduce((sum, { price }) => sum + price, 0);\n';
const JOINED = "join(', ')";
const SORTED = "sort().join(', ')";

/** The upper part of the window, where the diff is. */
const CLIP = { x: 0, y: 0, width: 1280, height: 330 };

// Pictures differ from machine to machine, so they are taken only when somebody wants them renewed.
if (process.env.UPDATE_SCREENSHOTS === '1') {
    describe('Pictures of a partial acceptance', () => {
        let workbench: Workbench;
        let client: ProtocolClient;

        before(async () => {
            workbench = await Workbench.start({ files: { [FILE]: ON_DISK } });
            client = await ProtocolClient.connect(workbench.ide);
        });
        after(async () => {
            await client?.disconnect();
            await workbench?.dispose();
        });

        it('takes one of two changes back and accepts the other', async () => {
            const { page, ide } = workbench;
            await fs.mkdir(DOC_IMAGES, { recursive: true });
            const file = ide.file(FILE);
            await client.openDiff(file, ON_DISK.replace(LOOP, REDUCED).replace(JOINED, SORTED));
            const diff = await page.waitForDiff(file);
            await diff.activate();
            await diff.waitUntilCompared();
            await diff.pointAt(1);
            await page.page.screenshot({ path: path.join(DOC_IMAGES, 'partial-1-proposal.png'), clip: CLIP });
            await diff.takeBack(1);
            await eventually('the sides to be compared again', async () => (await diff.changes()).added.length === 1);
            await take('partial-2-taken-back.png');
            await diff.accept();
            const { params } = await client.waitForOutcome(file);
            const merged = ON_DISK.replace(LOOP, REDUCED);
            expect(params.content).to.equal(merged);
            // What the CLI does with it.
            await fs.writeFile(file, merged);
            await page.openFile(FILE);
            await take('partial-3-written.png');
        });

        async function take(name: string): Promise<void> {
            await workbench.page.screenshot(path.join(DOC_IMAGES, name), CLIP);
        }
    });
}
