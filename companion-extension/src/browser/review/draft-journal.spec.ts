// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { DraftJournal, UnsentDraft } from './draft-journal';

describe('DraftJournal', () => {
    const UNSENT: UnsentDraft = {
        reviewId: 'r',
        draft: { id: 'd', revision: 2, text: 'typed', about: { uri: 'file:///a', cliName: 'Qwen Code' } }
    };
    let stored: Map<string, string>;
    let journal: DraftJournal;

    beforeEach(() => {
        stored = new Map();
        journal = new DraftJournal(() => ({
            getItem: key => stored.get(key) ?? null,
            setItem: (key, value) => void stored.set(key, value),
            removeItem: key => void stored.delete(key)
        }));
    });

    it('keeps drafts for the next load of the page, until none is unsent', () => {
        expect(journal.store('mine', [UNSENT])).to.equal(true);
        expect(journal.load('mine')).to.deep.equal([UNSENT]);
        expect(journal.store('mine', [])).to.equal(true);
        expect(stored.size).to.equal(0);
    });

    it('gives another installation at the same origin nothing', () => {
        journal.store('mine', [UNSENT]);
        expect(journal.load('theirs')).to.deep.equal([]);
        journal.store('theirs', []);
        expect(journal.load('mine')).to.deep.equal([UNSENT]);
    });

    it('says where a text is not kept, because it is too long or the browser forbids storage', () => {
        const forbidden = new DraftJournal(() => {
            throw new Error('SecurityError');
        });
        expect(forbidden.store('mine', [UNSENT])).to.equal(false);
        expect(forbidden.store('mine', []), 'nothing is lost').to.equal(true);
        expect(forbidden.load('mine')).to.deep.equal([]);
    });

    it('reads nothing from what somebody else has stored there', () => {
        for (const value of ['{', '{}', '7']) {
            stored.set('companion.drafts.mine', value);
            expect(journal.load('mine')).to.deep.equal([]);
        }
    });
});
