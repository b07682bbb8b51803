// SPDX-License-Identifier: Apache-2.0

import { Album, Clip, placeOf, startQwen } from './album';

const FILE = 'src/prices.js';
/** Short lines: each side of a diff shows some forty letters. */
const ON_DISK = `const nameOf = item => item.name;

export function total(items) {
    let sum = 0;
    for (const item of items) {
        sum += item.price;
    }
    return sum;
}

export function names(items) {
    return items.map(nameOf);
}
`;
const WITH_FIRST = ON_DISK.replace('const item of', 'const { price } of').replace('item.price', 'price');
const WITH_BOTH = WITH_FIRST.replace('map(nameOf)', 'map(nameOf).sort()');

/** The mouse is where one of two changes of a proposal is taken back. */
export async function partial(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, files: { [FILE]: ON_DISK } });
    try {
        const { page, ide } = workbench;
        const cli = await startQwen(workbench);
        await cli.play(cli.readFile(FILE), cli.writeFile(FILE, WITH_BOTH));
        const diff = await page.waitForDiff(ide.file(FILE));
        await cli.waitForQuestion();
        await diff.waitUntilCompared();
        await diff.waitForColors('function');
        // The tabs with their buttons, and the lines below.
        const clip: Clip = { ...(await placeOf(page.page.locator('#theia-main-content-panel'))), height: 350 };
        await diff.pointAt(1);
        await page.page.evaluate(() => window.companionHand.show(true));
        await album.takeAsItIs('partial-1-proposal', page, clip);
    } finally {
        await workbench.dispose();
    }
}
