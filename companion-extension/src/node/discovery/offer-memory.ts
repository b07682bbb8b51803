// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { OfferAnswer } from '../../common/companion-protocol';
import { OneAtATime } from '../one-at-a-time';
import { Problems } from '../problems';
import { describeCause } from './cause';
import { CompanionFolder } from './companion-folder';
import { FolderProblem } from './secure-folder';

const FILE = 'ide-mode-offers.json';

/**
 * What became of the offers to switch IDE modes on. The user's, in a file: what a browser keeps is for one address, and the next start
 * may have another port.
 */
@injectable()
export class OfferMemory {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(Problems)
    protected readonly problems: Problems;

    /** What was answered while this backend lives. That the user was asked counts no longer than that. */
    private readonly answers = new Map<string, OfferAnswer>();

    /** By the CLIs' ids. Rejects where the file system does not answer: what is stored is not known then. */
    async read(): Promise<ReadonlyMap<string, OfferAnswer>> {
        return this.tasks.run(this.folder.queue, () => this.known());
    }

    /** Never rejects: where it cannot be written, this backend knows it. */
    async remember(cliId: string, answer: OfferAnswer): Promise<void> {
        this.answers.set(cliId, answer);
        if (answer === 'asked') {
            return;
        }
        try {
            await this.tasks.run(this.folder.queue, async () => {
                const dismissed = [...(await this.known())].filter(([, given]) => given === 'dismissed');
                await this.folder.write(FILE, JSON.stringify(Object.fromEntries(dismissed)));
            });
            this.problems.report('offers', []);
        } catch (error) {
            const advice = error instanceof FolderProblem ? error.advice : { text: describeCause(error) };
            const text = 'You may be asked again about the IDE mode of a CLI, since your answer cannot be stored.';
            this.problems.report('offers', [{ ...advice, text: `${text} ${advice.text}` }]);
        }
    }

    private async known(): Promise<Map<string, OfferAnswer>> {
        return new Map([...(await this.stored()), ...this.answers]);
    }

    private async stored(): Promise<Array<[string, OfferAnswer]>> {
        try {
            const content: unknown = JSON.parse(await fs.readFile(path.join(await this.folder.make(), FILE), 'utf8'));
            return Object.entries(content ?? {}).filter(([, answer]) => answer === 'dismissed');
        } catch {
            // Nobody was asked, or somebody made the file unreadable: asking once more does no harm.
            return [];
        }
    }
}
