// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalEnvironment } from './terminal-environment';

/** Writes what new terminals refer to. The start does not wait for it. */
@injectable()
export class TerminalContribution implements BackendApplicationContribution {
    @inject(TerminalEnvironment)
    protected readonly environment: TerminalEnvironment;

    initialize(): void {
        void this.environment.prepare();
    }
}
