// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Container } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import { CompanionBackend, IdeModeOffer } from '../../common/companion-protocol';
import { IdeModeOfferService, OfferDialog } from './ide-mode-offer-service';

const OFFER: IdeModeOffer = {
    cliId: 'gemini-cli',
    displayName: 'Gemini CLI',
    path: '/home/u_u/.gemini/settings.json',
    change: '"ide": { "enabled": true }'
};

describe('IdeModeOfferService', () => {
    let remembered: string[];
    let written: string[];
    let shown: string[];
    let offered: IdeModeOffer[];
    let choices: string[];
    let answer: string | undefined;
    let confirmed: boolean;
    let failure: Error | undefined;
    let fault: Fault | undefined;

    beforeEach(() => {
        remembered = [];
        written = [];
        shown = [];
        choices = [];
        offered = [OFFER];
        answer = undefined;
        confirmed = true;
        failure = undefined;
        fault = undefined;
    });

    /** @returns a page just loaded */
    function load(): IdeModeOfferService {
        const container = new Container();
        const backend: Partial<CompanionBackend> = {
            getIdeModeOffers: async () => offered,
            rememberIdeModeOffer: async (cliId, value) => {
                remembered.push(`${cliId} ${value}`);
                offered = offered.map(offer => ({ ...offer, answer: value }));
            },
            acceptIdeModeOffer: async cliId => {
                if (failure) {
                    throw failure;
                }
                if (!fault) {
                    written.push(cliId);
                }
                return fault;
            }
        };
        const show = async (text: string, _options?: object, ...actions: string[]): Promise<string | undefined> => {
            shown.push(text);
            choices = actions;
            return answer;
        };
        container.bind(CompanionBackend).toConstantValue(backend as CompanionBackend);
        container.bind(MessageService).toConstantValue({ info: show, error: show } as Partial<MessageService> as MessageService);
        container.bind<OfferDialog>(OfferDialog).toConstantValue({
            confirm: async (_title, text) => {
                shown.push(text);
                return confirmed;
            }
        });
        container.bind(IdeModeOfferService).toSelf();
        return container.get(IdeModeOfferService);
    }

    /** Lets everything that is already decided happen. */
    async function refresh(page: IdeModeOfferService): Promise<void> {
        await page.refresh();
        await new Promise(resolve => setImmediate(resolve));
    }

    it('asks once on all pages and addresses: the backend remembers', async () => {
        const page = load();
        await refresh(page);
        await refresh(page);
        await refresh(load());
        expect(shown).to.have.length(1);
        expect(remembered).to.deep.equal(['gemini-cli asked']);
        expect(page.all).to.have.length(1);
    });

    it('shows the file and the change as they are, and writes nothing unasked', async () => {
        await refresh(load());
        const text = shown[0].replace(/\\/g, '');
        expect(text).to.include(OFFER.path).and.to.include(OFFER.change).and.to.include('Gemini CLI');
        expect(written).to.deep.equal([]);
    });

    it('writes when the user says so, and says when it applies', async () => {
        answer = 'Turn on';
        const page = load();
        await refresh(page);
        expect(written).to.deep.equal(['gemini-cli']);
        expect(shown[1]).to.include('Restart Gemini CLI');
        expect(page.all).to.deep.equal([]);
    });

    it('offers the three choices', async () => {
        await refresh(load());
        expect(choices).to.deep.equal(['Turn on', 'Not now', "Don't ask again"]);
    });

    it('after "Not now" the row stays, and the next backend asks again', async () => {
        answer = 'Not now';
        const page = load();
        await refresh(page);
        expect(remembered).to.deep.equal(['gemini-cli asked']);
        expect(page.all).to.have.length(1);
        offered = [OFFER];
        await refresh(load());
        expect(shown).to.have.length(2);
    });

    it('"Don\'t ask again" is remembered, and the row stays', async () => {
        answer = "Don't ask again";
        const page = load();
        await refresh(page);
        expect(remembered).to.deep.equal(['gemini-cli asked', 'gemini-cli dismissed']);
        expect(page.all).to.have.length(1);
        const later = load();
        await refresh(later);
        expect(later.all).to.have.length(1);
        expect(shown).to.have.length(1);
    });

    it('the status shows the same again, and only a yes writes', async () => {
        const page = load();
        await refresh(page);
        confirmed = false;
        await page.confirm(OFFER);
        expect(written).to.deep.equal([]);
        confirmed = true;
        await page.confirm(OFFER);
        expect(shown[1]).to.include(OFFER.path).and.to.include(OFFER.change);
        expect(written).to.deep.equal(['gemini-cli']);
    });

    it('says what went wrong, and the offer stays', async () => {
        const page = load();
        await refresh(page);
        failure = new Error('settings.json is read-only');
        await page.confirm(OFFER);
        expect(shown.join('\n').replace(/\\/g, '')).to.include('was not turned on: settings.json is read-only');
        fault = { code: 'settings-changed', file: '/settings.json' };
        failure = undefined;
        await page.confirm(OFFER);
        expect(shown.join('\n').replace(/\\/g, '')).to.include('was not turned on: /settings.json was changed by another program');
        expect(page.all).to.have.length(1);
    });
});
