// SPDX-License-Identifier: Apache-2.0

/** The Chromium or Chrome that was chosen or is installed; without one, Playwright takes its own. */
export function findBrowser(): string | undefined;
