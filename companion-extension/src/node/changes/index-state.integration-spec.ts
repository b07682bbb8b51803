// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { IndexWork } from './test/index-work';

const BEFORE = 300;
const EDITS = 30;

/** Of each file in the folder another text when it was written. */
function stateOf(folder: string): Map<string, fs.Stats> {
    const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => path.join(folder, name));
    return new Map(files.map(file => [file, fs.lstatSync(file)] as const).filter(([, stat]) => stat.isFile()));
}

/** In bytes: of a file that has grown only what was added. */
function writtenBetween(before: ReadonlyMap<string, fs.Stats>, after: ReadonlyMap<string, fs.Stats>): number {
    return [...after].reduce((sum, [file, { ino, mtimeMs, size }]) => {
        const earlier = before.get(file);
        const isSame = earlier?.ino === ino && earlier.mtimeMs === mtimeMs;
        return sum + (isSame ? 0 : earlier?.ino === ino && size > earlier.size ? size - earlier.size : size);
    }, 0);
}

describe('What a private index writes while an agent works', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    it(`is less than 100 kB for ${EDITS} small edits of as many files, with ${BEFORE} rows, and a crash loses neither row nor agent`, async () => {
        const w = new IndexWork();
        // git looks again at files that are as young as its index, and writes that.
        w.sh(`for i in $(seq ${BEFORE + EDITS}); do echo $i > f$i; done; touch -d @1 f*`);
        w.commit();
        await w.start();
        w.sh(`for i in $(seq ${BEFORE}); do echo agent >> f$i; done`);
        await w.look();
        let written = 0;
        for (let count = 1; count <= EDITS; count++) {
            const file = `f${BEFORE + count}`;
            const before = stateOf(w.index.folder);
            w.sh(`echo agent >> ${file}`);
            await w.look();
            await w.index.setNotes(new Map([[file, { version: w.row(file).version, agents: ['Ann'], changedAt: 1 }]]));
            written += writtenBetween(before, stateOf(w.index.folder));
        }
        await w.look();
        expect(written).to.be.lessThan(100_000);
        w.reopen();
        // Nobody looks: what is listed is what was stored.
        await w.index.resume(0);
        expect(w.listed).to.have.length(BEFORE + EDITS);
        expect(w.listed.filter(({ note }) => note?.agents[0] === 'Ann')).to.have.length(EDITS);
    });
}).timeout(60_000);
