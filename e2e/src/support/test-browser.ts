// SPDX-License-Identifier: Apache-2.0

import { Browser, BrowserContext, chromium } from '@playwright/test';
import { findBrowser } from '../../../configs/scripts/set-up.cjs';

/** No sandbox, since CI runs as root; no traffic of the browser's own. */
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** One Chromium for the whole run, started when it is first needed. */
export class TestBrowser {
    private static browser: Promise<Browser> | undefined;

    /**
     * A fresh context: one for each backend, because Theia's connection cookie knows no port, so that two backends in one
     * context lock each other's pages out (Theia 1.74).
     */
    static async newContext(): Promise<BrowserContext> {
        this.browser ??= chromium.launch({ executablePath: findBrowser(), args: CHROMIUM_ARGS });
        const browser = await this.browser;
        return browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
    }

    static async close(): Promise<void> {
        await (await this.browser)?.close();
        this.browser = undefined;
    }
}
