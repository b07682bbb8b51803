// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';

const MINE = 'my own line\n';

/** Writes 20,000 bytes to `a.txt` in the folder that it is started in. */
const PROGRAM = `
const { WorkTree } = require(${JSON.stringify(path.join(__dirname, 'work-tree'))});
const file = { mode: '100644', oid: '' };
const tree = new WorkTree(process.cwd(), { idOf: () => '' }, () => false, { fileBytes: 1e6 });
tree.write('a.txt', file, Buffer.alloc(20_000, 'x'), file).then(() => console.log('written'), ({ code }) => console.log(code));
`;

describe('What is written to a working tree', () => {
    let folder: string;

    beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'companion-tree-'))));
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it('leaves a file as it was if there is no room for another text', () => {
        const file = path.join(folder, 'a.txt');
        fs.writeFileSync(file, MINE);
        // No file may have more than 8 KB, as on a disk that is nearly full.
        const { stdout } = spawnSync('bash', ['-c', 'ulimit -f 8; exec "$0" -e "$1"', process.execPath, PROGRAM], {
            cwd: folder,
            encoding: 'utf8'
        });
        expect(stdout).to.equal('EFBIG\n');
        expect(fs.readFileSync(file, 'utf8')).to.equal(MINE);
    });
});
