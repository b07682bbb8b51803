// SPDX-License-Identifier: Apache-2.0

import { Browser, BrowserContext, chromium } from '@playwright/test';
import { findBrowser } from '../../../configs/scripts/set-up.cjs';

/**
 * No sandbox, since CI runs as root; no traffic of the browser's own. Source positions at once: at each page's start Theia looks at some
 * 370 stack traces, and V8 parses the functions again for each, for a sixth of the processor time of a page that opens.
 */
const CHROMIUM_ARGS = [
    ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    '--js-flags=--no-enable-lazy-source-positions'
];

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

    static async version(): Promise<string> {
        const browser = await this.browser;
        return browser ? `${browser.browserType().name()} ${browser.version()}` : '';
    }

    static async close(): Promise<void> {
        await (await this.browser)?.close();
        this.browser = undefined;
    }
}
