// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import * as sinon from 'sinon';
import { FileAccess } from '../host/file-access';
import { DiskFiles, HOLD_LIMIT_MS } from './disk-files';

describe('The files of a folder, while the IDE writes one', () => {
    let root: string;
    let disk: DiskFiles;

    beforeEach(() => {
        root = fs.mkdtempSync(path.join(os.tmpdir(), 'companion-disk-'));
        disk = new DiskFiles(root, new FileAccess(5_000), () => false, 1_000);
        fs.writeFileSync(path.join(root, 'a.txt'), 'written');
    });

    afterEach(() => fs.rmSync(root, { recursive: true }));

    it('it reads as it was before, until the last write of it is dealt with', async () => {
        const first = disk.hold('a.txt', 'before');
        expect(await disk.read('a.txt')).to.equal('before');
        const second = disk.hold('a.txt', null);
        first();
        expect(await disk.read('a.txt')).to.equal(null);
        second();
        expect(await disk.read('a.txt')).to.equal('written');
    });

    it('a write that never ends hides nothing for long', async () => {
        const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        try {
            disk.hold('a.txt', 'before');
            clock.tick(HOLD_LIMIT_MS);
        } finally {
            clock.restore();
        }
        expect(await disk.read('a.txt')).to.equal('written');
    });
});
