// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import { IdeModeOffer, OfferAnswer } from '../../common/companion-protocol';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, OneAtATime, queueOf } from '../host/one-at-a-time';
import { faultOf, Problems } from '../host/problems';
import { CompanionFolder } from './companion-folder';
import { SupportedCli } from './supported-cli';

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
    protected readonly answers = new Map<string, OfferAnswer>();

    /** By the CLIs' ids. Rejects if the file system does not answer: what is stored is not known then. */
    async read(): Promise<ReadonlyMap<string, OfferAnswer>> {
        return this.tasks.run(this.folder.queue, () => this.known());
    }

    /** Never rejects: if it cannot be written, this backend knows it. */
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
            this.problems.report('offers', [{ code: 'answer-lost', fault: faultOf(error) }]);
        }
    }

    protected async known(): Promise<Map<string, OfferAnswer>> {
        return new Map([...(await this.stored()), ...this.answers]);
    }

    protected async stored(): Promise<Array<[string, OfferAnswer]>> {
        try {
            const content: unknown = JSON.parse(await fs.readFile(path.join(await this.folder.make(), FILE), 'utf8'));
            return Object.entries(content ?? {}).filter(([, answer]) => answer === 'dismissed');
        } catch {
            // Nobody was asked, or somebody made the file unreadable: asking once more does no harm.
            return [];
        }
    }
}

/** Offers to switch on the IDE mode of CLIs whose user never decided. Nothing is written unasked. */
@injectable()
export class IdeModeOffers {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    @inject(OfferMemory)
    protected readonly memory: OfferMemory;

    @inject(OneAtATime)
    protected readonly tasks: OneAtATime;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(Problems)
    protected readonly problems: Problems;

    /** Waits for a file system, to see whether the problem has ended. */
    protected waiting = false;

    async all(): Promise<IdeModeOffer[]> {
        const offers = await Promise.all(
            this.clis.getContributions().map(async cli => {
                const source = `settings of ${cli.id}`;
                try {
                    const offer = await this.tasks.run(this.queue, async () => cli.ideModeOffer?.());
                    this.problems.report(source, []);
                    return offer;
                } catch (error) {
                    this.problems.report(source, [{ code: 'ide-mode-unknown', cliName: cli.displayName, fault: faultOf(error) }]);
                    if (error instanceof NoAnswer) {
                        this.lookAgainAfter(error);
                    }
                    return undefined;
                }
            })
        );
        const open = offers.filter(offer => offer !== undefined);
        if (open.length === 0) {
            return [];
        }
        const answers = await this.memory.read().catch(() => undefined);
        // If it is not known whether the user was asked, nobody is asked again.
        return answers ? open.map(offer => ({ ...offer, ...answerOf(answers.get(offer.cliId)) })) : [];
    }

    /** Settings of CLIs lie in the HOME. */
    protected get queue(): string {
        return queueOf(this.host.homeFolder, this.host.homeFolder);
    }

    protected lookAgainAfter({ ended }: NoAnswer): void {
        if (!this.waiting) {
            this.waiting = true;
            void ended.then(() => {
                this.waiting = false;
                return this.all();
            });
        }
    }

    /** What the user did about an offer, so that nobody asks again. */
    async remember(cliId: string, answer: OfferAnswer): Promise<void> {
        if (this.clis.getContributions().some(({ id }) => id === cliId)) {
            await this.memory.remember(cliId, answer);
        }
    }

    /** @returns what kept the settings from being written */
    async accept(cliId: string): Promise<Fault | undefined> {
        const cli = this.clis.getContributions().find(candidate => candidate.id === cliId);
        const accept = cli?.acceptIdeModeOffer?.bind(cli);
        if (!accept) {
            throw new Error(`There is nothing to switch on for ${cliId}`);
        }
        try {
            await this.tasks.run(this.queue, accept);
            return undefined;
        } catch (error) {
            return faultOf(error);
        }
    }
}

function answerOf(answer: OfferAnswer | undefined): Pick<IdeModeOffer, 'answer'> {
    return answer ? { answer } : {};
}
