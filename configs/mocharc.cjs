// SPDX-License-Identifier: Apache-2.0

// Shared by all packages: specs run compiled, beside the source that they test.
module.exports = {
    require: ['reflect-metadata'],
    reporter: require.resolve('./mocha-reporter.cjs'),
    // Beside other work everything takes several times as long.
    timeout: 60_000,
    exit: false
};
