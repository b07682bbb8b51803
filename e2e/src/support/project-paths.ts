// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';

export const PROJECT = path.resolve(__dirname, '../../..');

export const APP_FOLDER = path.join(PROJECT, 'browser-app');
export const E2E_FOLDER = path.join(PROJECT, 'e2e');
/** Screenshots, screens and logs of failed tests. */
export const RESULTS = path.join(PROJECT, 'e2e/results');
export const DOC_IMAGES = path.join(PROJECT, 'docs/images');

/**
 * What V8 has compiled of backends and CLIs. With a temporary folder of its own, which nobody has twice but a test, each of them would
 * compile all of its scripts again.
 */
export const COMPILED_FOLDER = path.join(PROJECT, '.setup', 'compiled');
