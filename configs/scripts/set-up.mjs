// SPDX-License-Identifier: Apache-2.0

import { compile } from './compile.mjs';
import { installDependencies } from './install.mjs';
import { checkPreconditions } from './preconditions.mjs';
import { runs } from './runs.mjs';

/** Everything that has to be there before the IDE or the tests can run. Quick where nothing changed. `command` is what the user typed. */
export async function setUp({ withTests, command }) {
    await checkPreconditions();
    await runs.join(command);
    await installDependencies();
    await compile({ withTests });
    runs.endSetUp();
}
