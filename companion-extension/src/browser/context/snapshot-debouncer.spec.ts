// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { SnapshotDebouncer } from './snapshot-debouncer';

describe('SnapshotDebouncer', () => {
    let clock: SinonFakeTimers;
    let value: number;
    let sent: number[];
    let debouncer: SnapshotDebouncer<{ value: number }>;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        value = 0;
        sent = [];
        debouncer = new SnapshotDebouncer({
            delay: 50,
            longestWait: 200,
            take: () => ({ value }),
            send: snapshot => sent.push(snapshot.value)
        });
    });
    afterEach(() => clock.restore());

    function change(): void {
        value++;
        debouncer.changed();
    }

    it('C7: sends one snapshot for a burst of changes, with the last value', () => {
        change();
        clock.tick(20);
        change();
        clock.tick(20);
        change();
        clock.tick(49);
        expect(sent).to.deep.equal([]);
        clock.tick(1);
        expect(sent).to.deep.equal([3]);
    });

    it('C7: sends every 200 ms while changes do not stop', () => {
        for (let elapsed = 0; elapsed < 1000; elapsed += 10) {
            change();
            clock.tick(10);
        }
        expect(sent).to.have.length(5);
        expect(sent[0]).to.equal(20);
    });

    it('drops a snapshot that equals the one before', () => {
        change();
        clock.tick(50);
        debouncer.changed();
        clock.tick(1000);
        expect(sent).to.deep.equal([1]);
    });

    it('sends an equal snapshot again when asked to, once', () => {
        change();
        clock.tick(50);
        debouncer.sendAgain();
        clock.tick(50);
        debouncer.changed();
        clock.tick(1000);
        expect(sent).to.deep.equal([1, 1]);
    });

    it('leaves no timer behind', () => {
        change();
        debouncer.dispose();
        clock.tick(1000);
        expect(sent).to.deep.equal([]);
        expect(clock.countTimers()).to.equal(0);
    });

    it('sends the same again if the last one did not arrive', () => {
        change();
        clock.tick(50);
        debouncer.changed();
        clock.tick(50);
        expect(sent).to.deep.equal([1]);
        debouncer.lost();
        debouncer.changed();
        clock.tick(50);
        expect(sent).to.deep.equal([1, 1]);
    });
});
