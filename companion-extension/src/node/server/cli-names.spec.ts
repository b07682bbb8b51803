// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CliNames, NamedSession } from './cli-names';

function owner(id: string, pid?: number, cliId = 'qwen', folder?: string): NamedSession {
    return { id, cliId, ...(pid === undefined ? {} : { peer: { pid, startTime: '1', folder } }) };
}

describe('CliNames', () => {
    it('numbers the processes of one CLI, not its sessions', () => {
        const names = new CliNames(id => id.toUpperCase());
        expect(names.nameOf(owner('a', 1))).to.equal('QWEN');
        expect(names.nameOf(owner('b', 2))).to.equal('QWEN 2');
        expect(names.nameOf(owner('c', 2))).to.equal('QWEN 2');
        expect(names.nameOf(owner('d', 3, 'gemini'))).to.equal('GEMINI');
        expect(names.nameOf(owner('f', 2, 'gemini')), 'another CLI in the process of one').to.equal('GEMINI 2');
        expect(names.nameOf(owner('e'))).to.equal('QWEN 3');
    });

    it('keeps the name that a session had before its process was known', () => {
        const names = new CliNames(id => id);
        expect(names.nameOf(owner('a'))).to.equal('qwen');
        expect(names.nameOf(owner('a', 1, 'qwen', '/ws'))).to.equal('qwen');
        expect(names.nameOf(owner('b', 2, 'qwen', '/ws'))).to.equal('qwen 2');
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
