// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { writeAtomically } from './atomic-file';
import { elsewhere, SecureFolder } from './secure-folder';

const OWN_CONFIGURATION = elsewhere('THEIA_CONFIG_DIR', '$HOME/.theia-own');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Our own folder in Theia's configuration folder. All backends and ports of one user share it. */
@injectable()
export class CompanionFolder {
    @inject(EnvVariablesServer)
    protected readonly theia: Pick<EnvVariablesServer, 'getConfigDirUri'>;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    @inject(ILogger)
    @named('companion:CompanionFolder')
    protected readonly logger: ILogger;

    protected reading: Promise<string> | undefined;
    protected readonly substitute = randomUUID();

    /** For `FileAccess`. Does not ask Theia, which may wait for the HOME itself. */
    get place(): string {
        const { variables, homeFolder } = this.host;
        const folder = variables['THEIA_CONFIG_DIR'];
        return !folder || isInside(homeFolder, folder) ? homeFolder : folder;
    }

    /** @returns its path. Made if it is missing. Rejects with a {@link FaultError}. */
    async make(): Promise<string> {
        return (await this.folder()).make();
    }

    /**
     * Writes a file into it if it is missing or changed. Rejects with a {@link FaultError}.
     *
     * @param name with the folder in it
     * @returns its path
     */
    async write(name: string, text: string): Promise<string> {
        const folder = await this.folder();
        const file = path.join(await folder.make(), name);
        // Another backend of the same user may have written it.
        if ((await fs.readFile(file, 'utf8').catch(() => undefined)) !== text) {
            try {
                await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
                await writeAtomically(file, text);
            } catch (error) {
                throw folder.notWritable(error);
            }
        }
        return file;
    }

    /**
     * Tells this user's installation from others: the same origin may serve somebody else's backend tomorrow, which must not get what a
     * page has stored in the browser. Random, and the same for all backends of the user. As long as our folder cannot be had, one that only
     * this backend has. Never rejects.
     */
    async installation(): Promise<string> {
        const reading = (this.reading ??= this.fileAccess.run(this.place, () => this.readInstallation()));
        return reading.catch(() => {
            // The next one reads again: a slow HOME may be there by then.
            this.reading = undefined;
            return this.substitute;
        });
    }

    protected async readInstallation(): Promise<string> {
        const file = path.join(await this.make(), 'installation');
        const read = (): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');
        if (!UUID.test(await read())) {
            // A full disk, or the end of the process, leaves the old file or a whole new one. Another backend may have been first.
            await writeAtomically(file, randomUUID(), { mayReplace: async () => !UUID.test(await read()) });
        }
        return fs.readFile(file, 'utf8');
    }

    protected async folder(): Promise<SecureFolder> {
        const base = FileUri.fsPath(await this.theia.getConfigDirUri());
        return new SecureFolder(
            { base, below: ['theia-cli-companion'], symlinks: 'follow', elsewhere: () => OWN_CONFIGURATION },
            this.host,
            this.logger
        );
    }
}
