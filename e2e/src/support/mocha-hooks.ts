// SPDX-License-Identifier: Apache-2.0

import { Context, RootHookObject } from 'mocha';
import { ReviewFixture } from './review-fixture';
import { TestBrowser } from './test-browser';
import { Workbench } from './workbench';

/** Loaded before every test file: what can be seen of a failure is kept, and what is shared is closed in the end. */
export const mochaHooks: RootHookObject = {
    async afterEach(this: Context): Promise<void> {
        if (this.currentTest?.state === 'failed') {
            await Promise.all(Workbench.all().map(workbench => workbench.report(this.currentTest?.fullTitle() ?? 'test')));
        }
    },
    async afterAll(): Promise<void> {
        await ReviewFixture.dispose();
        await TestBrowser.close();
    }
};
