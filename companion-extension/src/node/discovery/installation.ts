// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { OneAtATime } from '../host/one-at-a-time';
import { CompanionFolder } from './companion-folder';

/**
 * Tells this user's installation from others: the same origin may serve somebody else's backend tomorrow, which must not get what a page has
 * stored in the browser.
 */
@injectable()
export class Installation {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    protected reading: Promise<string> | undefined;

    /** Random, and the same for all backends of the user; for this one alone if our folder cannot be had. Never rejects. */
    id(): Promise<string> {
        this.reading ??= this.tasks.run(this.folder.queue, () => this.read()).catch(() => randomUUID());
        return this.reading;
    }

    protected async read(): Promise<string> {
        const file = path.join(await this.folder.make(), 'installation');
        // Another backend may have been first.
        await fs.writeFile(file, randomUUID(), { mode: 0o600, flag: 'wx' }).catch(() => undefined);
        return fs.readFile(file, 'utf8');
    }
}
