// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { TheiaWorkspace } from '@theia/playwright';

/** Theia's page objects want a workspace of their own making; this one is the folder that the fixture made. */
export class ExistingWorkspace extends TheiaWorkspace {
    constructor(folder: string) {
        super();
        fs.rmdirSync(this.workspacePath);
        this.workspacePath = folder;
    }
}
