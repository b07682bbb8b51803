// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { IdeModeOffer, OfferAnswer } from '../../common/companion-protocol';
import { OneAtATime, USER_FOLDERS } from '../one-at-a-time';
import { errorCode } from './error-code';
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

    @inject(ILogger)
    @named('companion:IdeModeOffers')
    protected readonly logger: ILogger;

    async all(): Promise<IdeModeOffer[]> {
        const offers = await Promise.all(
            this.clis.getContributions().map(cli =>
                this.tasks
                    .run(USER_FOLDERS, async () => cli.ideModeOffer?.())
                    .catch(error => {
                        this.logger.warn(`The settings of ${cli.displayName} could not be read: ${errorCode(error)}`);
                        this.logger.debug(`Reading the settings of ${cli.displayName} failed`, error);
                        return undefined;
                    })
            )
        );
        const open = offers.filter(offer => offer !== undefined);
        if (open.length === 0) {
            return [];
        }
        const answers = await this.tasks.run(USER_FOLDERS, () => this.memory.read()).catch(() => undefined);
        // Where it is not known whether the user was asked, nobody is asked again.
        return answers ? open.map(offer => ({ ...offer, ...answerOf(answers.get(offer.cliId)) })) : [];
    }

    /** What the user did about an offer, so that nobody asks again. */
    async remember(cliId: string, answer: OfferAnswer): Promise<void> {
        if (this.clis.getContributions().some(({ id }) => id === cliId)) {
            await this.tasks.run(USER_FOLDERS, () => this.memory.remember(cliId, answer));
        }
    }

    async accept(cliId: string): Promise<void> {
        const cli = this.clis.getContributions().find(candidate => candidate.id === cliId);
        const accept = cli?.acceptIdeModeOffer?.bind(cli);
        if (!accept) {
            throw new Error(`There is nothing to switch on for ${cliId}`);
        }
        await this.tasks.run(USER_FOLDERS, accept);
    }
}

function answerOf(answer: OfferAnswer | undefined): Pick<IdeModeOffer, 'answer'> {
    return answer ? { answer } : {};
}
