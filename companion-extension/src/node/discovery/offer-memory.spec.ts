// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { OfferMemory } from './offer-memory';
import { TestHost } from './test/test-host';

describe('OfferMemory', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
    });

    afterEach(() => host.remove());

    function start(): OfferMemory {
        const container = host.container();
        container.bind(OfferMemory).toSelf();
        return container.get(OfferMemory);
    }

    async function answers(memory: OfferMemory): Promise<Array<[string, string]>> {
        return [...(await memory.read())];
    }

    it('knows of later starts what became of an offer, and keeps the others', async () => {
        expect(await answers(start())).to.deep.equal([]);
        await start().remember('gemini-cli', 'asked');
        await start().remember('acme', 'asked');
        await start().remember('gemini-cli', 'dismissed');
        expect(await answers(start())).to.have.deep.members([
            ['gemini-cli', 'dismissed'],
            ['acme', 'asked']
        ]);
    });

    it('where it cannot be stored, this backend knows it all the same', async () => {
        fs.writeFileSync(host.configurationFolder, '');
        const memory = start();
        await memory.remember('gemini-cli', 'asked');
        expect(await answers(memory)).to.deep.equal([['gemini-cli', 'asked']]);
    });

    it('takes nothing else in the file for an answer', async () => {
        const folder = path.join(host.configurationFolder, 'theia-cli-companion');
        fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const text of ['', 'null', '7', '[]', '{"gemini-cli":7}', '{"gemini-cli":"never"}']) {
            fs.writeFileSync(path.join(folder, 'ide-mode-offers.json'), text);
            expect(await answers(start()), text).to.deep.equal([]);
        }
    });
});
