// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { IndexWork } from './test/index-work';

const FILES = 60;

describe('The numbers of lines of rows', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    it('are counted by a few processes, though all rows were kept a moment ago', async () => {
        const w = new IndexWork();
        w.sh(`for i in $(seq ${FILES}); do printf '1\\n2\\n' > f$i; done`);
        w.commit();
        const [program, log] = ['git', 'processes'].map(name => path.join(w.folder, name));
        fs.writeFileSync(program, `#!/bin/sh\necho "$@" >> ${log}\nexec git "$@"\n`, { mode: 0o755 });
        await w.start({ program });
        w.sh("sed -i 's/1/one/' f*");
        await w.look();
        await w.keepAll();
        w.sh("sed -i 's/2/two\\n3/' f*; rm f1");
        await w.look();
        fs.rmSync(log);
        const counts = await w.index.countLines(w.listed.map(({ path: file }) => file));
        expect(counts.size).to.equal(FILES);
        expect(counts.get('f1')).to.deep.equal({ added: 0, removed: 2, isBinary: false });
        expect(counts.get('f2')).to.deep.equal({ added: 2, removed: 1, isBinary: false });
        expect(fs.readFileSync(log, 'utf8').trim().split('\n')).to.have.length.lessThan(5);
    });
}).timeout(60_000);
