// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EventEmitter } from 'events';
import { MAX_BODY_BYTES } from './http-gate';
import { BodyBudget, RefusalLog } from './http-listener';

describe('BodyBudget', () => {
    function request(size?: number): { headers: Record<string, string> } {
        return { headers: size === undefined ? {} : { 'content-length': String(size) } };
    }

    it('S21: limits all large bodies together, and releases what each took', () => {
        const budget = new BodyBudget(1_000_000);
        const first = new EventEmitter();
        expect(budget.take(request(600_000), first as never)).to.equal(true);
        expect(budget.take(request(600_000), new EventEmitter() as never)).to.equal(false);
        expect(budget.take(request(400_000), new EventEmitter() as never)).to.equal(true);
        first.emit('close');
        expect(budget.take(request(600_000), new EventEmitter() as never)).to.equal(true);
    });

    it('S21: counts a body of unknown size as the largest, and does not count small ones', () => {
        const budget = new BodyBudget(MAX_BODY_BYTES);
        expect(budget.take(request(), new EventEmitter() as never)).to.equal(true);
        expect(budget.take(request(65_537), new EventEmitter() as never)).to.equal(false);
        expect(budget.take(request(65_536), new EventEmitter() as never)).to.equal(true);
    });
});

describe('RefusalLog', () => {
    it('S21: logs each reason at once, and only the size of a flood', () => {
        const lines: string[] = [];
        let now = 0;
        const log = new RefusalLog({ warn: async (line: unknown) => void lines.push(String(line)) }, () => now);
        for (let index = 0; index < 1000; index++) {
            log.add('403 Wrong Host');
        }
        log.add('401 Unauthorized');
        now = 61_000;
        log.add('403 Wrong Host');
        expect(lines).to.deep.equal([
            'Refused a request: 403 Wrong Host',
            'Refused a request: 401 Unauthorized',
            'Refused a request: 403 Wrong Host (and 999 times since it was last logged)'
        ]);
    });
});
