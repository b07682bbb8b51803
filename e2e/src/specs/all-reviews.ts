// SPDX-License-Identifier: Apache-2.0

import { readdirSync } from 'fs';
import { createRequire } from 'module';
import * as path from 'path';

const load = createRequire(__filename);

/** Loads these specs into one worker, where they share what `ReviewFixture` starts. Each of them can also be run alone. */
for (const name of readdirSync(__dirname).filter(file => /^(broken-parts|context|review.*)\.e2e-spec\.js$/.test(file))) {
    load(path.join(__dirname, name));
}
