// SPDX-License-Identifier: Apache-2.0
// npm test

import { runTests } from './run-tests.mjs';
import { runScript } from './script.mjs';

await runScript(runTests);
