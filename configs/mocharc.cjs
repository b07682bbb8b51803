// SPDX-License-Identifier: Apache-2.0

// Shared by all packages: specs run compiled, beside the source that they test.
module.exports = {
    require: ['reflect-metadata'],
    reporter: require.resolve('./mocha-reporter.cjs'),
    timeout: 20_000,
    exit: false
};
