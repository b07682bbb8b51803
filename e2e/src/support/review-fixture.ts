// SPDX-License-Identifier: Apache-2.0

import { ProtocolClient } from './protocol-client';
import { Workbench } from './workbench';

const FILES = {
    'notes.txt': 'one\ntwo\nthree\n',
    'other.txt': 'other\n',
    'third.txt': 'third\n',
    'numbers.txt': 'one\ntwo\n',
    'letters.txt': 'alpha\nbravo\ncharlie\n',
    'many/file-1.txt': '1\n',
    '.env': 'SECRET=1\n',
    // As a hostile repository would bring it.
    '.theia/settings.json': JSON.stringify({ 'companion.context.exclude': [], 'companion.context.share': true })
};

/**
 * A backend, a page and a client that the specs of reviews, of the context and of broken parts share and use one after the other: each of
 * them costs as much as twenty reviews.
 * The client keeps every outcome, so no two tests may propose the same file and look at its outcome.
 */
export class ReviewFixture {
    private static shared: Promise<ReviewFixture> | undefined;

    private constructor(
        readonly workbench: Workbench,
        readonly client: ProtocolClient
    ) {}

    /**
     * Starts it, where it is not there yet. It ends after the last spec: see `mocha-hooks.ts`. No editor of the spec before is left: a
     * diff would open behind one that has the keyboard.
     */
    static async get(): Promise<ReviewFixture> {
        const fixture = await (this.shared ??= this.start());
        const { page } = fixture.workbench;
        if ((await page.editors()).length > 0) {
            // After a red case one may be unsaved: Theia would ask, and all specs that follow would wait for the answer.
            await page.execute('core.saveAll');
            await page.execute('core.close.all.main.tabs');
        }
        return fixture;
    }

    static async dispose(): Promise<void> {
        const fixture = await this.shared?.catch(() => undefined);
        this.shared = undefined;
        await fixture?.client.disconnect();
        await fixture?.workbench.dispose();
    }

    private static async start(): Promise<ReviewFixture> {
        const workbench = await Workbench.start({ files: FILES });
        // A file that comes to the front is for the specs that are about it.
        await workbench.page.setPreference('companion.review.afterAccept', 'stay');
        return new ReviewFixture(workbench, await ProtocolClient.connect(workbench.ide));
    }
}
