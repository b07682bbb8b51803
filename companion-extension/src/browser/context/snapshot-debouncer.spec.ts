// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { FakeClock } from '../test/fake-clock';
import { SnapshotDebouncer } from './snapshot-debouncer';

describe('SnapshotDebouncer', () => {
    let clock: FakeClock;
    let value: number;
    let sent: number[];
    let debouncer: SnapshotDebouncer<{ value: number }>;

    beforeEach(() => {
        clock = new FakeClock();
        value = 0;
        sent = [];
        debouncer = new SnapshotDebouncer({
            delay: 50,
            longestWait: 200,
            clock,
            take: () => ({ value }),
            send: snapshot => sent.push(snapshot.value)
        });
    });

    function change(): void {
        value++;
        debouncer.changed();
    }

    it('C7: sends one snapshot for a burst of changes, with the last value', () => {
        change();
        clock.pass(20);
        change();
        clock.pass(20);
        change();
        clock.pass(49);
        expect(sent).to.deep.equal([]);
        clock.pass(1);
        expect(sent).to.deep.equal([3]);
    });

    it('C7: sends every 200 ms while changes do not stop', () => {
        for (let elapsed = 0; elapsed < 1000; elapsed += 10) {
            change();
            clock.pass(10);
        }
        expect(sent).to.have.length(5);
        expect(sent[0]).to.equal(20);
    });

    it('drops a snapshot that equals the one before', () => {
        change();
        clock.pass(50);
        debouncer.changed();
        clock.pass(1000);
        expect(sent).to.deep.equal([1]);
    });

    it('sends an equal snapshot again when asked to, once', () => {
        change();
        clock.pass(50);
        debouncer.sendAgain();
        clock.pass(50);
        debouncer.changed();
        clock.pass(1000);
        expect(sent).to.deep.equal([1, 1]);
    });

    it('leaves no timer behind', () => {
        change();
        debouncer.dispose();
        clock.pass(1000);
        expect(sent).to.deep.equal([]);
        expect(clock.pending).to.equal(0);
    });
});
