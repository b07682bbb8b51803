// SPDX-License-Identifier: Apache-2.0

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { debianFlavour, installPackages, mayInstall } from './debian.mjs';
import { installedBrowser } from './installed-browser.mjs';
import { runLogged } from './processes.mjs';
import { NODE, ROOT, setUpFile } from './project.mjs';
import { Problem, say } from './script.mjs';

/** The executable of a Chromium for the tests; installs one where there is none and it may. */
export async function findBrowser() {
    const chosen = process.env.CHROME_PATH;
    if (chosen) {
        if (!existsSync(chosen)) {
            throw new Problem(`CHROME_PATH names ${chosen}, which does not exist: correct it, or unset it to have a browser looked for.`);
        }
        return chosen;
    }
    const found = findInstalled();
    if (found) {
        return found;
    }
    // Ubuntu's package is only a pointer to a snap, which does not run in containers.
    if (mayInstall() && debianFlavour() === 'debian') {
        await installPackages(['chromium'], 'the end-to-end tests need a browser.');
        return findInstalled();
    }
    return downloadWithPlaywright();
}

function findInstalled() {
    return installedBrowser() ?? playwrightsOwn();
}

function playwrightsOwn() {
    const { chromium } = createRequire(join(ROOT, 'e2e', 'package.json'))('@playwright/test');
    const file = chromium.executablePath();
    return file && existsSync(file) ? file : undefined;
}

async function downloadWithPlaywright() {
    say('Downloading Chromium with Playwright: the end-to-end tests need a browser.');
    const cli = join(ROOT, 'node_modules', '@playwright', 'test', 'cli.js');
    const withSystemLibraries = mayInstall() ? ['--with-deps'] : [];
    const command = [NODE, cli, 'install', ...withSystemLibraries, 'chromium'];
    const { code } = await runLogged(command, setUpFile('browser.log'), { cwd: ROOT });
    const browser = playwrightsOwn();
    if (code !== 0 || !browser) {
        throw new Problem('No Chromium was found or could be downloaded: install Chromium or Chrome, or set CHROME_PATH to one.');
    }
    return browser;
}
