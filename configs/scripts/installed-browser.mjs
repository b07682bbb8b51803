// SPDX-License-Identifier: Apache-2.0

import { existsSync } from 'node:fs';
import { findCommand } from './processes.mjs';

const USUAL_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC_APPLICATIONS = ['Chromium', 'Google Chrome'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Documented in `installed-browser.d.mts`. */
export function installedBrowser() {
    return findCommand(...USUAL_NAMES) ?? MAC_APPLICATIONS.find(file => existsSync(file));
}
