// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ReviewOwner } from '../review/review';
import { CliNames } from './cli-names';

function owner(id: string, pid?: number, cliId = 'qwen', folder?: string): ReviewOwner {
    return { id, cliId, gone: false, notify: () => true, ...(pid === undefined ? {} : { peer: { pid, startTime: '1', folder } }) };
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

    it('names a process by its folder if that distinguishes it from the others', () => {
        const names = new CliNames(id => id);
        const inFolder = (pid: number, folder: string): string => names.nameOf(owner(`session ${pid}`, pid, 'qwen', folder));
        expect(inFolder(1, '/ws')).to.equal('qwen');
        expect(inFolder(2, '/ws/src')).to.equal('qwen · src');
        expect(inFolder(3, '/ws/lib/src')).to.equal('qwen · lib/src');
        expect(inFolder(4, '/ws'), 'in the folder of the first').to.equal('qwen 2');
        expect(inFolder(5, '/ws/src'), 'in the folder of the second').to.equal('qwen 3');
        expect(inFolder(2, '/ws/src'), 'again').to.equal('qwen · src');
        expect(inFolder(6, '/')).to.equal('qwen 4');
        expect(inFolder(7, '/ws/a\u202eb')).to.equal('qwen · a[U+202E]b');
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
