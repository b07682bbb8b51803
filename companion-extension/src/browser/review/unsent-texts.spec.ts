// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ReviewSave } from '../../common/companion-protocol';
import { UnsentTexts } from './unsent-texts';

/** The storage of a tab. */
class Storage {
    readonly values = new Map<string, string>();
    /** How many characters it takes. */
    room = Infinity;

    get length(): number {
        return this.values.size;
    }

    getItem(key: string): string | null {
        return this.values.get(key) ?? null;
    }

    setItem(key: string, value: string): void {
        const others = [...this.values].filter(([other]) => other !== key).reduce((sum, [, { length }]) => sum + length, 0);
        if (others + value.length > this.room) {
            throw new Error('QuotaExceededError');
        }
        this.values.set(key, value);
    }

    removeItem(key: string): void {
        this.values.delete(key);
    }

    key(index: number): string | null {
        return [...this.values.keys()][index] ?? null;
    }
}

describe('Unsent texts in the tab', () => {
    const save: ReviewSave = {
        about: { reviewId: 'review', uri: 'file:///w/a', cliName: 'Qwen Code' },
        revision: { page: 'load', n: 1 },
        base: [],
        text: 'typed'
    };
    let storage: Storage;
    let installation: string | undefined;

    beforeEach(() => {
        storage = new Storage();
        installation = 'mine';
    });

    function load(): UnsentTexts {
        return new UnsentTexts(
            () => installation,
            () => storage
        );
    }

    it('are there for the next load of the page, once, and go when they are confirmed', () => {
        expect(load().write([save]).size).to.equal(0);
        const next = load();
        expect(next.takeEarlier()).to.deep.equal([save]);
        expect(next.takeEarlier()).to.deep.equal([]);
        next.write([]);
        expect(storage.values.size).to.equal(0);
    });

    it('are not given to the backend of somebody else; the tab holds them, so leaving asks', () => {
        load().write([save]);
        installation = 'another';
        const next = load();
        expect(next.takeEarlier()).to.deep.equal([]);
        expect(next.hasOthers).to.equal(true);
        next.write([save]);
        next.write([]);
        installation = 'mine';
        expect(load().takeEarlier()).to.deep.equal([save]);
    });

    it('before the first hello are left as they are, and leaving asks', () => {
        load().write([save]);
        installation = undefined;
        const next = load();
        expect(next.hasOthers).to.equal(true);
        expect(next.stranded, 'it is not known whose they are').to.deep.equal([]);
        expect([...next.write([save])]).to.deep.equal(['review']);
        installation = 'mine';
        expect(next.takeEarlier()).to.deep.equal([save]);
        expect(next.hasOthers).to.equal(false);
    });

    it('follow the backend that could not read its id at first', () => {
        installation = 'substitute';
        const page = load();
        page.write([save]);
        installation = 'mine';
        page.write([save]);
        expect([...storage.values.keys()]).to.deep.equal(['companion.edits.mine/review']);
    });

    it('that the browser refuses are said to be, and take no small one with them', () => {
        const large = { ...save, about: { ...save.about, reviewId: 'large' }, text: 'x'.repeat(10_000) };
        storage.room = 5_000;
        expect([...load().write([large, save])]).to.deep.equal(['large']);
        expect(load().takeEarlier()).to.deep.equal([save]);
        expect([...load().write([])]).to.deep.equal([]);
    });

    it('that grow too large leave what was stored of them', () => {
        const page = load();
        storage.room = 5_000;
        page.write([save]);
        expect([...page.write([{ ...save, text: 'x'.repeat(10_000) }])]).to.deep.equal(['review']);
        expect(load().takeEarlier()).to.deep.equal([save]);
    });

    it('of another start of the IDE are offered until they are forgotten, and then leaving asks no more', () => {
        load().write([save]);
        installation = 'started again';
        const next = load();
        expect(next.stranded).to.deep.equal([save]);
        next.forgetStranded(save);
        expect(next.stranded).to.deep.equal([]);
        expect(next.hasOthers).to.equal(false);
    });

    it('that make no sense, and a storage that cannot be read, are nothing', () => {
        storage.setItem('companion.edits.mine/a', '{"not": "a text"}');
        storage.setItem('companion.edits.mine/b', 'null');
        expect(load().takeEarlier()).to.deep.equal([]);
        const forbidden = new UnsentTexts(
            () => 'mine',
            () => {
                throw new Error('SecurityError');
            }
        );
        expect(forbidden.takeEarlier()).to.deep.equal([]);
        expect(forbidden.hasOthers).to.equal(false);
        expect([...forbidden.write([save])]).to.deep.equal(['review']);
    });
});
