// SPDX-License-Identifier: Apache-2.0

/** Begun first, so that no worker is left alone with one of them at the end. */
const LONG = 'claude-code|qwen-code|agents|qwen-daemon|several-clis';
/** In `all-reviews`, which is a file of its own: what they share is in one worker. */
const SHARING = 'broken-parts|context|review*';

module.exports = {
    spec: ['lib/specs/all-reviews.js', `lib/specs/@(${LONG}).e2e-spec.js`, `lib/specs/!(${LONG}|${SHARING}).e2e-spec.js`],
    // Each file has backends, browsers and folders of its own. Two at a time: they wait for each other's processes more than they compute.
    parallel: true,
    jobs: 2,
    require: ['lib/support/mocha-hooks.js'],
    reporter: require.resolve('../configs/mocha-reporter.cjs'),
    // Each wait ends by itself after 60 s and says what it waited for; a case has several of them.
    timeout: 240_000,
    slow: 15_000,
    exit: false
};
