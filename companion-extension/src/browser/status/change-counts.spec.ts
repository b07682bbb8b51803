// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PROPOSAL, ReviewInfo } from '../../common/companion-protocol';
import { ChangeCounts, OpenTexts } from './change-counts';

describe('ChangeCounts', () => {
    let open: Map<string, OpenTexts>;
    let read: string[];
    let counts: ChangeCounts;

    beforeEach(() => {
        open = new Map();
        read = [];
        counts = new ChangeCounts({
            open: ({ id }) => open.get(id),
            read: async ({ id }) => {
                read.push(id);
                if (id === 'broken') {
                    throw new Error('The backend does not answer.');
                }
                return id === 'gone' ? undefined : { original: 'one\n', proposal: 'one\ntwo\n' };
            }
        });
    });

    function review(id: string, changes: Partial<ReviewInfo> = {}): ReviewInfo {
        return {
            id,
            path: `/ws/${id}`,
            uri: `file:///ws/${id}`,
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            traits: {},
            otherClis: [],
            openedAt: 0,
            draft: PROPOSAL,
            ...changes
        };
    }

    function isOpen(id: string, version: string, original: string, proposal: string): void {
        open.set(id, { version, length: original.length + proposal.length, texts: () => ({ original, proposal }) });
    }

    it('reads nothing for a diff that is open in the page, and counts it again only if it has changed', async () => {
        let counted = 0;
        isOpen('a', '1', 'one\n', 'two\nthree\n');
        await counts.count([review('a')], () => ++counted > 0);
        await counts.count([review('a')], () => ++counted > 0);
        expect(counts.of('a')).to.deep.equal({ added: 2, removed: 1 });
        expect(counted).to.equal(1);
        isOpen('a', '2', 'one\n', 'one\n');
        await counts.count([review('a')], () => true);
        expect(counts.of('a')).to.deep.equal({ added: 0, removed: 0 });
        expect(read).to.deep.equal([]);
    });

    it('reads the texts of another window’s review once, until its user edits it', async () => {
        await counts.count([review('a')], () => true);
        await counts.count([review('a')], () => true);
        expect(read).to.deep.equal(['a']);
        expect(counts.of('a')).to.deep.equal({ added: 1, removed: 0 });
        await counts.count([review('a', { draft: { id: 'page', revision: 1 } })], () => true);
        expect(read).to.deep.equal(['a', 'a']);
    });

    it('neither reads nor compares a text that would hold up the page', async () => {
        isOpen('open', '1', '', 'x\n'.repeat(600_000));
        await counts.count([review('long', { long: true }), review('open')], () => true);
        expect(read).to.deep.equal([]);
        expect(counts.of('long')).to.equal(undefined);
        expect(counts.of('open')).to.equal(undefined);
    });

    it('counts one after the other, and stops when nobody looks any more', async () => {
        const shown: Array<number | undefined> = [];
        await counts.count([review('gone'), review('b'), review('c')], () => {
            shown.push(counts.of('b')?.added);
            return shown.length < 2;
        });
        expect(shown).to.deep.equal([undefined, 1]);
        expect(read).to.deep.equal(['gone', 'b']);
    });

    it('reads a text again that could not be read', async () => {
        await counts.count([review('broken')], () => true);
        await counts.count([review('broken')], () => true);
        expect(read).to.deep.equal(['broken', 'broken']);
        expect(counts.of('broken')).to.equal(undefined);
    });

    it('forgets reviews that are over', async () => {
        await counts.count([review('a')], () => true);
        await counts.count([], () => true);
        expect(counts.of('a')).to.equal(undefined);
    });
});
