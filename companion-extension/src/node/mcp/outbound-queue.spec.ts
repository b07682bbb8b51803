// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CompanionNotification, OutboundQueue } from './outbound-queue';

function context(timestamp: number): CompanionNotification {
    return { method: 'ide/contextUpdate', params: { workspaceState: { openFiles: [{ path: '/a', timestamp }] } } };
}

function rejected(filePath: string): CompanionNotification {
    return { method: 'ide/diffRejected', params: { filePath } };
}

describe('OutboundQueue', () => {
    it('keeps outcomes in order and of the context only the newest, which goes first', () => {
        const queue = new OutboundQueue();
        [context(1), rejected('/a'), context(2), rejected('/b'), context(3)].forEach(notification => queue.push(notification));
        const sent = [queue.shift(), queue.shift(), queue.shift(), queue.shift()];
        expect(sent).to.deep.equal([context(3), rejected('/a'), rejected('/b'), undefined]);
    });

    it('S21: takes no more contents than its bound, but one of any size', () => {
        const accepted = (content: string): CompanionNotification => ({ method: 'ide/diffAccepted', params: { filePath: '/a', content } });
        const queue = new OutboundQueue(256, 10);
        expect(queue.push(accepted('x'.repeat(11)))).to.equal(true);
        expect(queue.push(accepted('x'))).to.equal(false);
        queue.shift();
        expect(queue.push(accepted('x'.repeat(9)))).to.equal(true);
        expect(queue.push(accepted('xx'))).to.equal(false);
        queue.takeOutcomes();
        expect(queue.push(accepted('xx'))).to.equal(true);
    });

    it('S21: takes no more outcomes than its bound, and context always', () => {
        const queue = new OutboundQueue(2);
        expect(queue.push(rejected('/a'))).to.equal(true);
        expect(queue.push(rejected('/b'))).to.equal(true);
        expect(queue.push(rejected('/c'))).to.equal(false);
        expect(queue.push(context(1))).to.equal(true);
    });
});
