// SPDX-License-Identifier: Apache-2.0

import { Browser, BrowserContext, chromium } from '@playwright/test';
import { installedBrowser } from '../../../configs/scripts/installed-browser.mjs';

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
        // Without a path Playwright takes its own download.
        const executablePath = process.env.CHROME_PATH || installedBrowser();
        this.browser ??= chromium.launch({ executablePath, args: CHROMIUM_ARGS });
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
