// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionBackend, IdeModeOffer, OfferAnswer } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { faultText } from '../../common/problem-text';
import { withTimeLimit } from '../../common/time-limit';
import { noAnswerText } from '../window/backend-calls';

const CALL_LIMIT = 10_000;

export const OfferDialog = Symbol('OfferDialog');
/** Asks a question that cannot be overlooked. */
export interface OfferDialog {
    confirm(title: string, text: string, ok: string): Promise<boolean | undefined>;
}

/**
 * Offers to turn a CLI's IDE mode on in the user's settings. It asks once in the life of a backend, shows what it would write and where,
 * and never writes unasked.
 */
@injectable()
export class IdeModeOfferService {
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'getIdeModeOffers' | 'acceptIdeModeOffer' | 'rememberIdeModeOffer'>;
    @inject(MessageService)
    protected readonly messages: Pick<MessageService, 'info' | 'error'>;
    @inject(OfferDialog)
    protected readonly dialog: OfferDialog;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected open: IdeModeOffer[] = [];
    protected readonly answers = new Map<string, OfferAnswer>();
    protected refreshing = false;

    /** The offers that the user did not take, whatever they answered: the status lists them. */
    get all(): readonly IdeModeOffer[] {
        return this.open;
    }

    protected answerTo(offer: IdeModeOffer): OfferAnswer | undefined {
        return this.answers.get(offer.cliId) ?? offer.answer;
    }

    /** Asks the backend what there is to offer, and asks the user about offers that they have not seen. */
    async refresh(): Promise<void> {
        if (this.refreshing) {
            return;
        }
        this.refreshing = true;
        try {
            this.open = await withTimeLimit(this.backend.getIdeModeOffers(), CALL_LIMIT, '');
        } catch {
            // The page asks again after the next hello.
            return;
        } finally {
            this.refreshing = false;
        }
        this.onDidChangeEmitter.fire();
        for (const offer of this.open.filter(candidate => this.answerTo(candidate) === undefined)) {
            this.remember(offer, 'asked');
            this.notify(offer).catch(() => undefined);
        }
    }

    /** The user picked the offer from the status: shows it again, and asks. */
    async confirm(offer: IdeModeOffer): Promise<void> {
        const title = nls.localize('theia/cli-companion/offer/title', 'Turn on IDE mode of {0}', offer.displayName);
        if (await this.dialog.confirm(title, this.describe(offer), this.turnOnLabel)) {
            await this.take(offer);
        }
    }

    protected get turnOnLabel(): string {
        return nls.localize('theia/cli-companion/offer/turnOn', 'Turn on');
    }

    protected describe({ displayName, path, change }: IdeModeOffer): string {
        return nls.localize(
            'theia/cli-companion/offer/text',
            '{0} connects to this IDE once its IDE mode is on. Turning it on writes {1} into {2}.',
            displayName,
            change.replace(/\s+/g, ' '),
            path
        );
    }

    protected async notify(offer: IdeModeOffer): Promise<void> {
        const notNow = nls.localize('theia/cli-companion/offer/notNow', 'Not now');
        const never = nls.localize('theia/cli-companion/offer/never', "Don't ask again");
        const answer = await this.messages.info(plainText(this.describe(offer)), { timeout: 0 }, this.turnOnLabel, notNow, never);
        if (answer === this.turnOnLabel) {
            await this.take(offer);
        } else if (answer === never) {
            this.remember(offer, 'dismissed');
        }
    }

    protected async take(offer: IdeModeOffer): Promise<void> {
        const failure = await this.accept(offer);
        if (failure !== undefined) {
            this.messages.error(
                plainText(
                    nls.localize('theia/cli-companion/offer/failed', 'IDE mode of {0} was not turned on: {1}', offer.displayName, failure)
                )
            );
            return;
        }
        this.open = this.open.filter(({ cliId }) => cliId !== offer.cliId);
        this.onDidChangeEmitter.fire();
        this.messages.info(
            plainText(nls.localize('theia/cli-companion/offer/done', 'IDE mode of {0} is on. Restart {0} to apply.', offer.displayName))
        );
    }

    /** @returns why it was not written */
    protected async accept(offer: IdeModeOffer): Promise<string | undefined> {
        try {
            const fault = await withTimeLimit(this.backend.acceptIdeModeOffer(offer.cliId), CALL_LIMIT, noAnswerText());
            return fault && faultText(fault);
        } catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }

    /** If the call fails, at least this page does not ask again. */
    protected remember(offer: IdeModeOffer, answer: OfferAnswer): void {
        this.answers.set(offer.cliId, answer);
        withTimeLimit(this.backend.rememberIdeModeOffer(offer.cliId, answer), CALL_LIMIT, '').catch(() => undefined);
    }
}
