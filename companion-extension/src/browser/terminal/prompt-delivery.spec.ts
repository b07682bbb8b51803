// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CliTerminal } from '../../common/companion-protocol';
import { PromptDelivery } from './prompt-delivery';

describe('PromptDelivery', () => {
    const CLI: CliTerminal = {
        shell: 7,
        displayName: 'Claude Code',
        folder: '/ws',
        takesMentions: true,
        mentionStyle: { form: 'quoted', unread: '' }
    };
    const content = { textFor: () => 'one\ntwo', mentions: [{ path: '/ws/a.ts' }] };
    let sent: string[];
    let mention: () => Promise<boolean>;
    let running: boolean;
    const delivery = new PromptDelivery({
        mention: () => mention(),
        isThere: async () => running,
        send: (_, text) => sent.push(text)
    });

    beforeEach(() => {
        sent = [];
        mention = async () => true;
        running = true;
    });

    it('types no text if the CLI took the mention', async () => {
        expect(await delivery.deliver(CLI, content)).to.equal(true);
        expect(sent).to.deep.equal([]);
    });

    it('types the text of a file whose name would have to be quoted', async () => {
        expect(await delivery.deliver(CLI, { ...content, mentions: [{ path: '/ws/a b.ts' }] })).to.equal(true);
        expect(sent).to.have.length(1);
    });

    for (const [how, failing] of [
        ['is refused', async () => false],
        ['fails', () => Promise.reject(new Error('The connection is lost.'))]
    ] as const) {
        it(`S23: types the text if the mention ${how}, and the CLI is still there`, async () => {
            mention = failing;
            expect(await delivery.deliver(CLI, content)).to.equal(true);
            expect(sent).to.deep.equal(['\u001b[200~one\ntwo\u001b[201~']);
        });

        it(`S23: types nothing into the shell if the mention ${how} because the CLI has ended`, async () => {
            mention = () => {
                running = false;
                return failing();
            };
            expect(await delivery.deliver(CLI, content)).to.equal(false);
            expect(sent).to.deep.equal([]);
        });
    }

    it('S23: types nothing if the CLI has ended since it was found', async () => {
        running = false;
        expect(await delivery.deliver(CLI, { ...content, mentions: [] })).to.equal(false);
        expect(sent).to.deep.equal([]);
    });
});
