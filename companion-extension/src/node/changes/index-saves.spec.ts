// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { IndexParts } from './index-parts';
import { IndexRows } from './index-rows';
import { IndexSaves } from './index-saves';

describe('IndexSaves', () => {
    const at = (log: number): { log: number; stash: string[] } => ({ log, stash: [] });
    let folded: string[];
    let saves: IndexSaves;
    const add = (file: string, log: number): void => saves.add({ file, from: null, to: Buffer.from(file), begin: { position: at(log) } });
    const reach = (log: number, tracking = true): Promise<void> => saves.foldReached(partsAt(log), tracking);
    const partsAt = (log: number): IndexParts =>
        ({
            prefix: '',
            moves: { position: at(log), updateMemory: () => undefined },
            objects: { idOf: String },
            turns: { noteSave: async (name: string) => void folded.push(name) },
            fold: { foldSave: async () => undefined }
        }) as unknown as IndexParts;

    beforeEach(() => {
        folded = [];
        saves = new IndexSaves(new IndexRows());
    });

    it('are folded in their order, up to the first that waits for a look at what git did', async () => {
        add('a', 1);
        add('b', 2);
        add('c', 1);
        await reach(1);
        expect(folded).to.deep.equal(['a']);
        await saves.foldAll(partsAt(2));
        expect(folded).to.deep.equal(['a', 'b', 'c']);
    });

    it('do not wait where nothing is looked at, and no more than 100 of them', async () => {
        for (let index = 0; index < 103; index++) {
            add(`f${index}`, 2);
        }
        await reach(1);
        expect(folded).to.deep.equal(['f0', 'f1', 'f2']);
        await reach(1, false);
        expect(folded).to.have.length(103);
    });
});
