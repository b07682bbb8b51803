// SPDX-License-Identifier: Apache-2.0

// @theia/cli depends on puppeteer for a test runner that nobody here uses; its browser must not be downloaded.
module.exports = { skipDownload: true };
