// SPDX-License-Identifier: Apache-2.0

import { Stats } from 'fs';
import { expect } from 'chai';
import { INDEX_LIMITS } from './index-limits';
import { PrivateGit } from './private-git';
import { UsersIndex } from './users-index';

const BLOB = { mode: '100644', oid: 'a'.repeat(40) };
const ENTRY = { ...BLOB, tag: 'H', mtimeMs: 1_700_000_000_123.456, ino: 7, size: 10 };

describe("The user's index", () => {
    function isWritten(stat: Partial<Stats>): Promise<boolean> {
        const tree = { stat: async () => ({ ...ENTRY, ...stat }) as unknown as Stats };
        return new UsersIndex(new PrivateGit('/', '/', undefined, INDEX_LIMITS), tree).isWritten('a.txt', BLOB, ENTRY);
    }

    it('says that git wrote a file whose time, size and inode are as it has them', async () => {
        expect(await isWritten({})).to.equal(true);
        expect(await isWritten({ mtimeMs: ENTRY.mtimeMs + 1 })).to.equal(false);
        expect(await isWritten({ size: 11 })).to.equal(false);
        expect(await isWritten({ ino: 8 })).to.equal(false);
    });

    it('has 32 bits of an inode, and of a size: large disks and network file systems have more', async () => {
        expect(await isWritten({ ino: 3 * 2 ** 32 + 7, size: 2 ** 32 + 10 })).to.equal(true);
    });
});
