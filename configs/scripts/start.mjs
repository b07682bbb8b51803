// SPDX-License-Identifier: Apache-2.0
// npm start [-- [--port N] [/path/to/project]]

import { runScript } from './script.mjs';
import { startIde } from './start-ide.mjs';

await runScript(() => startIde(process.argv.slice(2)));
