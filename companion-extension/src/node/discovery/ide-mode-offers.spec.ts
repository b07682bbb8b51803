// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { OfferMemory } from './ide-mode-offers';
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

    function stored(text: string): void {
        const folder = path.join(host.configurationFolder, 'theia-cli-companion');
        fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
        fs.writeFileSync(path.join(folder, 'ide-mode-offers.json'), text);
    }

    it('tells later starts which offers the user does not want to hear of, and keeps the others', async () => {
        expect(await answers(start())).to.deep.equal([]);
        await start().remember('gemini-cli', 'dismissed');
        await start().remember('acme', 'dismissed');
        expect(await answers(start())).to.have.deep.members([
            ['gemini-cli', 'dismissed'],
            ['acme', 'dismissed']
        ]);
    });

    it('that the user was asked counts as long as this backend lives, and is written nowhere', async () => {
        const memory = start();
        await memory.remember('gemini-cli', 'asked');
        expect(await answers(memory)).to.deep.equal([['gemini-cli', 'asked']]);
        expect(await answers(start())).to.deep.equal([]);
        await memory.remember('acme', 'dismissed');
        expect(await answers(start())).to.deep.equal([['acme', 'dismissed']]);
    });

    it('that the user was asked by an older version counts for nothing', async () => {
        stored('{"gemini-cli":"asked","acme":"dismissed"}');
        expect(await answers(start())).to.deep.equal([['acme', 'dismissed']]);
    });

    it('where it cannot be stored, this backend knows it all the same', async () => {
        fs.writeFileSync(host.configurationFolder, '');
        const memory = start();
        await memory.remember('gemini-cli', 'dismissed');
        expect(await answers(memory)).to.deep.equal([['gemini-cli', 'dismissed']]);
    });

    it('takes nothing else in the file for an answer', async () => {
        for (const text of ['', 'null', '7', '[]', '{"gemini-cli":7}', '{"gemini-cli":"never"}']) {
            stored(text);
            expect(await answers(start()), text).to.deep.equal([]);
        }
    });
});
