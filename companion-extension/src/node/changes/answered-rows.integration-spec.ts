// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What was kept, undone or typed into before, of what agents change', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt');
        ide.commit();
        await ide.start();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    it('says that it has come again after a Keep', async () => {
        await ide.startAgent();
        const isAgain = async (name: string): Promise<boolean> => (await ide.row(name)).isAgain === true;
        ide.write('a.txt', TEN_LINES.replace('b\n', 'B\n'));
        await ide.lists('modified a.txt +1 -1');
        expect(await isAgain('a.txt')).to.equal(false);
        expect(await ide.service.keepChange(ide.uri('a.txt'), (await ide.row('a.txt')).version)).to.equal(true);
        ide.write('a.txt', TEN_LINES.replace('b\n', 'other\n'));
        await ide.lists('modified a.txt +1 -1');
        expect(await isAgain('a.txt')).to.equal(true);
    });

    it('is new where an agent has made the file, also when the user has typed into it; Undo leaves what was typed', async () => {
        await ide.startAgent();
        ide.write('made.txt', 'one\ntwo\n');
        await ide.lists('added made.txt +2 -0');
        await ide.save('made.txt', 'one\ntwo\nmine\n');
        await ide.lists('added made.txt +2 -0');
        expect(await ide.list(true)).to.deep.equal(['added made.txt +2 -0']);
        ide.write('made.txt', 'one\ntwo\nthree\nmine\n');
        await ide.lists('added made.txt +3 -0');
        expect(await ide.undo('made.txt')).to.equal(true);
        expect(ide.read('made.txt')).to.equal('mine\n');
    });

    it('has what was undone, and what was left, for a diff, with who had changed it', async () => {
        await ide.startAgent();
        const changed = TEN_LINES.replace('b\n', 'B\n');
        ide.write('a.txt', changed);
        ide.write('made.txt', 'made\n');
        await ide.lists('modified a.txt +1 -1', 'added made.txt +1 -0');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(await ide.undo('made.txt')).to.equal(true);
        const { undone } = await ide.service.readChanges(true);
        const [made, a] = undone;
        expect([made, a].map(({ authors }) => authors)).to.deep.equal([['Qwen Code'], ['Qwen Code']]);
        expect(await ide.service.readUndone(a.id, a.uri)).to.deep.equal({ before: TEN_LINES, after: changed });
        expect(await ide.service.readUndone(made.id, made.uri)).to.deep.equal({ after: 'made\n' });
        expect(await ide.service.readUndone('other', made.uri)).to.equal(undefined);
    });
});
