// SPDX-License-Identifier: Apache-2.0

import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from './host-environment';
import { elsewhere, makeSecureFolder } from './secure-folder';

const OWN_CONFIGURATION = elsewhere('THEIA_CONFIG_DIR', '$HOME/.theia-own');

/** Our own folder in that of Theia's configuration: the user's, whichever backend and port serve them. */
@injectable()
export class CompanionFolder {
    @inject(EnvVariablesServer)
    protected readonly theia: Pick<EnvVariablesServer, 'getConfigDirUri'>;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    /** @returns its path. Made where it is missing. Rejects with a sentence for the user. */
    async make(): Promise<string> {
        const base = FileUri.fsPath(await this.theia.getConfigDirUri());
        return makeSecureFolder(
            { base, below: ['theia-cli-companion'], symlinks: 'follow', elsewhere: () => OWN_CONFIGURATION },
            this.host
        );
    }
}
