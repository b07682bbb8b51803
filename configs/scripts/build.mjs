// SPDX-License-Identifier: Apache-2.0
// npm run build

import { runScript } from './script.mjs';
import { setUp } from './set-up.mjs';

await runScript(() => setUp({ withTests: true, command: 'npm run build' }));
