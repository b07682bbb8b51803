// SPDX-License-Identifier: Apache-2.0

import { Context, RootHookObject } from 'mocha';
import { TestBrowser } from './test-browser';
import { Workbench } from './workbench';

/** Loaded before every test file: what can be seen of a failure is kept, and the browser is closed in the end. */
export const mochaHooks: RootHookObject = {
    async afterEach(this: Context): Promise<void> {
        if (this.currentTest?.state === 'failed') {
            await Promise.all(Workbench.all().map(workbench => workbench.report(this.currentTest?.fullTitle() ?? 'test')));
        }
    },
    async afterAll(): Promise<void> {
        await TestBrowser.close();
    }
};
