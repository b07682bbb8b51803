// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';

export const PROJECT = path.resolve(__dirname, '../../..');

export const APP_FOLDER = path.join(PROJECT, 'browser-app');
export const E2E_FOLDER = path.join(PROJECT, 'e2e');
/** Screenshots, screens and logs of failed tests. */
export const RESULTS = path.join(PROJECT, 'e2e/results');
export const DOC_IMAGES = path.join(PROJECT, 'docs/images');
