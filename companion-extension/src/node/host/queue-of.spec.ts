// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { queueOf } from './one-at-a-time';

const MOUNTS = [
    '22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw',
    '23 22 0:21 / /proc rw shared:2 - proc proc rw',
    '30 22 0:40 / /home rw shared:3 - nfs4 server:/home rw,vers=4.2',
    '31 30 259:3 / /home/ada/fast rw - ext4 /dev/nvme0n1p3 rw',
    '32 22 0:41 / /mnt/my\\040share rw - cifs //server/share rw',
    '33 22 0:42 / /data rw - nfs server:/data rw',
    '34 22 0:43 / /data rw - tmpfs tmpfs rw'
].join('\n');

describe('queueOf', () => {
    const queue = (path: string): string => queueOf(path, 'folder', MOUNTS);

    it('is the remote mount that a path lies in: all of it goes silent together', () => {
        expect(queue('/home/ada/.qwen')).to.equal('/home');
        expect(queue('/home')).to.equal('/home');
        expect(queue('/mnt/my share/a.txt')).to.equal('/mnt/my share');
    });

    it('is the folder that was named where the path lies in none', () => {
        expect(queue('/tmp/gemini')).to.equal('folder');
        expect(queue('/homestead')).to.equal('folder');
        expect(queue('/home/ada/fast/x'), 'a local mount in a remote one').to.equal('folder');
        expect(queue('/data/x'), 'a later mount at the same place').to.equal('folder');
    });

    it('is that folder where the system tells no mounts', () => {
        expect(queueOf('/home/ada', '/home/ada', '')).to.equal('/home/ada');
        expect(queueOf(__dirname, __dirname)).to.be.a('string');
    });
});
