// SPDX-License-Identifier: Apache-2.0

import { mkdtempSync, rmSync } from 'fs';
import { cp, readdir, rm } from 'fs/promises';
import * as os from 'os';
import * as path from 'path';
import { Browser, BrowserContext, chromium } from '@playwright/test';
import { findBrowser } from '../../../configs/scripts/set-up.cjs';

/**
 * No sandbox, because CI runs as root. No traffic by the browser itself. Source positions at once: at each page's start Theia looks at some
 * 370 stack traces, and V8 parses the functions again for each, for a sixth of the processor time of a page that opens. No WebGL in
 * software: xterm.js would use it, and its own renderer takes a sixth of the processor time for a CLI's spinner.
 */
const CHROMIUM_ARGS = [
    ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    '--js-flags=--no-enable-lazy-source-positions',
    '--disable-software-rasterizer'
];
const BROWSER = { executablePath: findBrowser(), args: CHROMIUM_ARGS };
const CONTEXT = { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] };

export interface ScreenSize {
    /** In CSS pixels, as the page counts them. */
    readonly viewport: { readonly width: number; readonly height: number };
    /** Pixels of a picture for one CSS pixel. */
    readonly deviceScaleFactor: number;
}

/** What a profile keeps: scripts, and what V8 compiled of them. */
const CACHES = ['Cache', 'Code Cache'];

/** Starts Chromium, each time with a profile that knows nothing but scripts. */
export class TestBrowser {
    /** Folders of profiles that are not in use. */
    private static readonly idle: string[] = [];
    private static readonly open = new Set<BrowserContext>();
    private static first: string | undefined;
    private static all: string | undefined;
    private static privateBrowser: Promise<Browser> | undefined;
    private static version = '';

    /**
     * One browser for each backend, because Theia's connection cookie knows no port, so that two backends in one
     * context lock each other's pages out (Theia 1.74).
     *
     * Its profile may have compiled the scripts of another one before. That halves the processor time of a page that opens, and Chromium
     * does it for profiles on disk only.
     */
    static async newContext(screen?: ScreenSize): Promise<BrowserContext> {
        const profile = this.idle.pop() ?? (await this.newProfile());
        await forgetAllButScripts(profile);
        const context = await chromium.launchPersistentContext(profile, { ...BROWSER, ...CONTEXT, ...screen });
        this.version = context.browser()?.version() ?? '';
        await context.addInitScript(stopSpinner);
        this.open.add(context);
        context.once('close', () => {
            this.open.delete(context);
            this.idle.push(profile);
        });
        return context;
    }

    /** A private window: nothing is compiled there before. */
    static async newPrivateContext(): Promise<BrowserContext> {
        this.privateBrowser ??= chromium.launch(BROWSER);
        const browser = await this.privateBrowser;
        this.version = browser.version();
        return browser.newContext(CONTEXT);
    }

    /** Of the browser that was used last. */
    static get lastVersion(): string {
        return `chromium ${this.version}`;
    }

    /** Closes those that are left. */
    static async close(): Promise<void> {
        await Promise.all([...this.open].map(context => context.close()));
        await (await this.privateBrowser)?.close();
        this.privateBrowser = undefined;
    }

    /** Knows the scripts that the first one knows. */
    private static async newProfile(): Promise<string> {
        const profile = mkdtempSync(path.join(this.folder(), 'profile-'));
        const first = (this.first ??= profile);
        if (first !== profile) {
            // Its browser may be writing there: what is half there is compiled again.
            await Promise.all(
                CACHES.map(name => cp(cacheOf(first, name), cacheOf(profile, name), { recursive: true }).catch(() => undefined))
            );
        }
        return profile;
    }

    private static folder(): string {
        if (this.all === undefined) {
            const folder = mkdtempSync(path.join(os.tmpdir(), 'companion-browsers-'));
            process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
            this.all = folder;
        }
        return this.all;
    }
}

function cacheOf(profile: string, name: string): string {
    return path.join(profile, 'Default', name);
}

/** Runs in the page: Theia's loading indicator is drawn sixty times a second, which takes a tenth of a page's processor time while it opens. */
function stopSpinner(): void {
    const style = new CSSStyleSheet();
    style.replaceSync('.theia-preload::after { animation: none !important; }');
    document.adoptedStyleSheets.push(style);
}

async function forgetAllButScripts(profile: string): Promise<void> {
    const user = path.join(profile, 'Default');
    const entries = [
        ...(await readdir(profile)).filter(name => name !== 'Default').map(name => path.join(profile, name)),
        ...(await readdir(user).catch(() => [])).filter(name => !CACHES.includes(name)).map(name => path.join(user, name))
    ];
    await Promise.all(entries.map(entry => rm(entry, { recursive: true, force: true })));
}
