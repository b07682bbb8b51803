// SPDX-License-Identifier: Apache-2.0
// What a package runs before it is packed, in its own folder: `lib` is then what `src` is now.

import { relative } from 'node:path';
import { compilePackage } from './compile.mjs';
import { ROOT } from './project.mjs';
import { runScript } from './script.mjs';

await runScript(() => compilePackage(relative(ROOT, process.cwd())));
