// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ReviewOwner } from '../review/review';
import { CliNames } from './window-state';

function owner(id: string, pid?: number, cliId = 'qwen'): ReviewOwner {
    return { id, cliId, gone: false, notify: () => undefined, ...(pid === undefined ? {} : { peer: { pid, startTime: '1' } }) };
}

describe('CliNames', () => {
    it('numbers the processes of one CLI, not its sessions', () => {
        const names = new CliNames(id => id.toUpperCase());
        expect(names.nameOf(owner('a', 1))).to.equal('QWEN');
        expect(names.nameOf(owner('b', 2))).to.equal('QWEN 2');
        expect(names.nameOf(owner('c', 2))).to.equal('QWEN 2');
        expect(names.nameOf(owner('d', 3, 'gemini'))).to.equal('GEMINI');
        expect(names.nameOf(owner('e'))).to.equal('QWEN 3');
    });

    it('keeps the names of those that stay, and uses a free number again', () => {
        const names = new CliNames(id => id);
        const [first, second] = [owner('a', 1), owner('b', 2)];
        [first, second].forEach(one => names.nameOf(one));
        names.keepOnly([second]);
        expect(names.nameOf(second)).to.equal('qwen 2');
        expect(names.nameOf(owner('c', 3))).to.equal('qwen');
    });
});
