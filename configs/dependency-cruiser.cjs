// SPDX-License-Identifier: Apache-2.0
// npm run lint: no circle of files, `import type` counted, since a reader follows it, too.

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
    forbidden: [
        {
            name: 'no-circles',
            comment: 'Move what both files need into a file of its own, or turn one of the imports around.',
            severity: 'error',
            from: {},
            to: { circular: true }
        }
    ],
    options: {
        tsPreCompilationDeps: true,
        doNotFollow: { path: 'node_modules' },
        exclude: { path: '(^|/)lib/|spec\\.tsx?$|/test/' }
    }
};
