// SPDX-License-Identifier: Apache-2.0

'use strict';

// Loaded before a script (node -r): an older Node does not get as far as running one, it stops at the first word that it does not know.
// For the same reason there is nothing in here that is newer than ES5.
var actual = process.versions.node.split('.').map(Number);
if (actual[0] < 20 || (actual[0] === 20 && actual[1] < 19)) {
    process.stderr.write('Node.js 20.19 or newer is needed, this is ' + process.versions.node + '. Install one from nodejs.org.\n');
    process.exit(1);
}
