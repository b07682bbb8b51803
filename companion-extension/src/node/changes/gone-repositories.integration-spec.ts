// SPDX-License-Identifier: Apache-2.0

import { IndexWork, scenario } from './test/index-work';

describe('A repository within a root', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    scenario(
        'G1',
        'that is removed has no rows, which nobody could answer; one that comes to its place is a new one',
        ['in/f:modified', '', 'in:repository (no undo)'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            const make = 'git init -q in; cd in; echo 1 > f; git add .; git commit -qm 1';
            w.sh(make);
            await w.start();
            w.put('in/f', '2\n');
            const l = await w.look();
            w.sh('rm -r in');
            const m = await w.look();
            w.sh(make);
            return [l, m, await w.look()];
        }
    );
});
