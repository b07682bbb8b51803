// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EventEmitter } from 'events';
import { BodyBudget } from './http-listener';
import { MAX_BODY_BYTES } from './http-gate';

describe('BodyBudget', () => {
    function request(size?: number): { headers: Record<string, string> } {
        return { headers: size === undefined ? {} : { 'content-length': String(size) } };
    }

    it('S21: bounds what large bodies take together, and gives back what each took', () => {
        const budget = new BodyBudget(1_000_000);
        const first = new EventEmitter();
        expect(budget.take(request(600_000), first as never)).to.equal(true);
        expect(budget.take(request(600_000), new EventEmitter() as never)).to.equal(false);
        expect(budget.take(request(400_000), new EventEmitter() as never)).to.equal(true);
        first.emit('close');
        expect(budget.take(request(600_000), new EventEmitter() as never)).to.equal(true);
    });

    it('S21: counts a body of unknown size as the largest, and small ones not at all', () => {
        const budget = new BodyBudget(MAX_BODY_BYTES);
        expect(budget.take(request(), new EventEmitter() as never)).to.equal(true);
        expect(budget.take(request(65_537), new EventEmitter() as never)).to.equal(false);
        expect(budget.take(request(65_536), new EventEmitter() as never)).to.equal(true);
    });
});
