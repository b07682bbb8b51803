// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { MAX_BODY_BYTES } from './http-gate';
import { DEFAULT_LISTENER_LIMITS, ListenerBudget } from './listener-budget';

describe('ListenerBudget', () => {
    const [first, second, third] = [{}, {}, {}];

    it('S21: limits all bodies together, and releases what each took', () => {
        const budget = new ListenerBudget(DEFAULT_LISTENER_LIMITS, 1_000_000);
        expect(budget.hold(first, 600_000)).to.equal(true);
        expect(budget.hold(second, 600_000)).to.equal(false);
        expect(budget.hold(second, 400_000)).to.equal(true);
        budget.release(first);
        expect(budget.hold(third, 600_000)).to.equal(true);
    });

    it('S21: counts a message that grows once, and does not count small ones', () => {
        const budget = new ListenerBudget(DEFAULT_LISTENER_LIMITS, 1_000_000);
        for (let bytes = 100_000; bytes <= 1_000_000; bytes += 100_000) {
            expect(budget.hold(first, bytes)).to.equal(true);
        }
        expect(budget.hold(first, 1_000_001)).to.equal(false);
        expect(budget.hold(second, 65_537)).to.equal(false);
        expect(budget.hold(second, 65_536)).to.equal(true);
    });

    it('S21: takes one body over 16 MiB at a time', () => {
        const budget = new ListenerBudget();
        expect(budget.hold(first, MAX_BODY_BYTES)).to.equal(true);
        expect(budget.hold(second, 16 * 1024 * 1024 + 1)).to.equal(false);
        expect(budget.hold(second, 16 * 1024 * 1024)).to.equal(true);
        budget.release(first);
        expect(budget.hold(third, MAX_BODY_BYTES)).to.equal(true);
    });

    it('S24: holds the ports of 200 servers that have ended; then the one that is held for longest gives way', () => {
        const budget = new ListenerBudget();
        const given: number[] = [];
        for (let port = 0; port < 202; port++) {
            budget.holdPort(() => given.push(port));
        }
        expect(given).to.deep.equal([0, 1]);
    });
});
