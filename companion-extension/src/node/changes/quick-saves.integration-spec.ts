// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('Quick saves of the user', () => {
    let ide: ChangesHost;
    beforeEach(async () => {
        ide = new ChangesHost();
        ide.git('init', '-q', '-b', 'main');
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES);
        ide.commit();
        await ide.start();
        await ide.startAgent();
    });
    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    /** What is wrongly listed, once. */
    async function takeRows(): Promise<string[]> {
        await ide.list(true);
        const rows = await ide.list(true);
        if (rows.length > 0) {
            await ide.service.keepAll((await ide.service.readChanges(true)).version);
        }
        return rows;
    }

    for (const pause of [0, 40, 300]) {
        it(`saves with a pause of ${pause} ms list nothing`, async () => {
            for (let count = 1; count <= 8; count++) {
                await ide.save('a.txt', TEN_LINES + '#'.repeat(count));
                await new Promise(resolve => setTimeout(resolve, pause));
            }
            await ide.list(true);
            const before = (await ide.service.readBaseline(ide.uri('a.txt')))?.text;
            expect([await ide.list(true), before]).to.deep.equal([[], undefined]);
        });
    }
    for (const offset of [0, 1, 3]) {
        it(`two saves that overlap, ${offset} ms apart, list nothing, 20 times`, async () => {
            const wrong: string[] = [];
            for (let count = 1; count <= 20; count++) {
                const one = ide.save('a.txt', TEN_LINES + '#'.repeat(2 * count));
                await new Promise(resolve => (offset ? setTimeout(resolve, offset) : setImmediate(resolve)));
                await Promise.all([one, ide.save('a.txt', TEN_LINES + '#'.repeat(2 * count + 1))]);
                await ide.list(true);
                const rows = await ide.list(true);
                if (rows.length > 0) {
                    const before = (await ide.service.readBaseline(ide.uri('a.txt')))?.text?.slice(TEN_LINES.length);
                    wrong.push(`${count}: ${rows.join()} base ${before?.length} # disk ${ide.read('a.txt').length - TEN_LINES.length}`);
                    await ide.service.keepAll((await ide.service.readChanges(true)).version);
                }
            }
            expect(wrong).to.deep.equal([]);
        });
    }
    it('two saves at once list nothing', async () => {
        await Promise.all([1, 2].map(count => ide.save('a.txt', TEN_LINES + '#'.repeat(count))));
        await ide.list(true);
        expect(await ide.list(true)).to.deep.equal([]);
    });
    for (const pause of [0, 20]) {
        it(`a save during a look, ${pause} ms before a stash, lists nothing, 5 times`, async () => {
            const wrong: string[] = [];
            await ide.save('a.txt', `${TEN_LINES}mine 0\n`);
            for (let count = 1; count <= 5; count++) {
                const looking = ide.list(true);
                await new Promise(resolve => setTimeout(resolve, pause));
                await ide.save('a.txt', `${ide.read('a.txt')}mine ${count}\n`);
                ide.git('stash', '-q');
                await looking;
                await ide.list(true);
                ide.git('stash', 'pop', '-q');
                wrong.push(...(await takeRows()));
            }
            expect(wrong).to.deep.equal([]);
        });
    }
    it('a save between lines that a stash has just brought back lists nothing, 3 times', async () => {
        const wrong: string[] = [];
        for (let count = 1; count <= 3; count++) {
            await ide.save('a.txt', `${ide.read('a.txt')}mine ${count}\nmine, too\n`);
            ide.git('stash', '-q');
            await ide.list(true);
            ide.git('stash', 'pop', '-q');
            await ide.save('a.txt', ide.read('a.txt').replace(`mine ${count}\n`, `$&between\n`));
            wrong.push(...(await takeRows()));
        }
        expect(wrong).to.deep.equal([]);
    });
    it('a file that is renamed right after such a save lists nothing', async () => {
        await ide.save('a.txt', `${TEN_LINES}mine\n`);
        ide.git('stash', '-q');
        await ide.list(true);
        await ide.list(true);
        ide.git('stash', 'pop', '-q');
        await ide.save('a.txt', `${TEN_LINES}mine again\n`);
        await ide.provider.rename(new URI(ide.uri('a.txt')), new URI(ide.uri('b.txt')), { overwrite: false });
        ide.tell('a.txt', 'b.txt');
        expect(await takeRows()).to.deep.equal([]);
    });
    const writes: Record<string, (text: string) => Promise<unknown>> = {
        'all of it': text => ide.save('a.txt', TEN_LINES + text),
        'only what was typed': text => {
            const end = { line: 10, character: 0 };
            const encodings = { readEncoding: 'utf8', writeEncoding: 'utf8', overwriteEncoding: false };
            return ide.provider.updateFile(new URI(ide.uri('a.txt')), [{ range: { start: end, end }, text }], encodings);
        }
    };
    for (const [what, save] of Object.entries(writes)) {
        it(`that write ${what} take no line that an agent writes at once after them`, async () => {
            await save('mine\n');
            ide.write('a.txt', `agent\n${TEN_LINES}mine\n`);
            await ide.lists('modified a.txt +1 -0');
            expect(await ide.undo('a.txt')).to.equal(true);
            expect(ide.read('a.txt')).to.equal(`${TEN_LINES}mine\n`);
        });
    }
});
