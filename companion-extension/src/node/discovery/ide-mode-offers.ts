// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { IdeModeOffer, OfferAnswer } from '../../common/companion-protocol';
import { NoAnswer, OneAtATime } from '../one-at-a-time';
import { Problems } from '../problems';
import { queueOf } from '../queue-of';
import { describeCause } from './cause';
import { HostEnvironment } from './host-environment';
import { OfferMemory } from './offer-memory';
import { SupportedCli } from './supported-cli';

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
                    const text = `It is not known whether the IDE mode of ${cli.displayName} is on. ${describeCause(error)}`;
                    this.problems.report(source, [{ text }]);
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
        // Where it is not known whether the user was asked, nobody is asked again.
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

    async accept(cliId: string): Promise<void> {
        const cli = this.clis.getContributions().find(candidate => candidate.id === cliId);
        const accept = cli?.acceptIdeModeOffer?.bind(cli);
        if (!accept) {
            throw new Error(`There is nothing to switch on for ${cliId}`);
        }
        await this.tasks.run(this.queue, accept);
    }
}

function answerOf(answer: OfferAnswer | undefined): Pick<IdeModeOffer, 'answer'> {
    return answer ? { answer } : {};
}
