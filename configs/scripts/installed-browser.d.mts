// SPDX-License-Identifier: Apache-2.0

/** The executable of a Chromium or Chrome that is installed on this machine. */
export function installedBrowser(): string | undefined;
