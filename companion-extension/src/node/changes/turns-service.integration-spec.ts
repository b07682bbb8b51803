// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { AgentTurn } from '../../common/changes/changes-protocol';
import { eventually } from '../test/test-cli';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('Turns of agents, as pages get them', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'b.txt');
        ide.commit();
        await ide.start();
        await ide.startAgent();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    const B = TEN_LINES.replace('b\n', 'B\n');

    async function turn(files: number): Promise<AgentTurn> {
        let found: AgentTurn[] = [];
        await eventually('the turn', async () => {
            found = (await ide.service.readChanges(false)).turns;
            return found.length === 1 && found[0].files === files;
        });
        return found[0];
    }

    it('are taken back in files that nobody edits; an undo in the editor, and what the user saves, are none of an agent', async () => {
        ide.write('a.txt', B.replace('h\n', 'H\n'));
        ide.write('b.txt', B);
        ide.write('new.txt', 'new\n');
        const { id, agents } = await turn(3);
        expect(agents).to.deep.equal(['Qwen Code']);
        expect((await ide.row('a.txt')).turn).to.equal(id);
        expect(await ide.undo('a.txt', 1)).to.equal(true);
        await ide.lists('modified a.txt +1 -1', 'modified b.txt +1 -1', 'added new.txt +1 -0');
        await ide.save('a.txt', `mine\n${B}`);
        await turn(3);
        const plan = (await ide.service.planTurnUndo(id, false)) ?? [];
        expect(plan.map(({ uri, left }) => `${uri.slice(uri.lastIndexOf('/') + 1)} ${left}`)).to.deep.equal([
            'a.txt undone',
            'b.txt undone',
            'new.txt undone'
        ]);
        ide.page.unsaved.add(ide.uri('b.txt'));
        ide.write('new.txt', 'newer\n');
        const { done, left } = await ide.service.undoTurn(id, false, plan);
        expect(done).to.deep.equal([ide.uri('a.txt')]);
        expect(left).to.have.deep.members([
            { uri: ide.uri('b.txt'), reason: 'edited' },
            { uri: ide.uri('new.txt'), reason: 'changed' }
        ]);
        expect([ide.read('a.txt'), ide.read('b.txt'), ide.read('new.txt')]).to.deep.equal([`mine\n${TEN_LINES}`, B, 'newer\n']);
        const [{ id: set }] = (await ide.service.readChanges(true)).undone;
        expect((await ide.service.putBack(set)).done).to.deep.equal([ide.uri('a.txt')]);
        expect(ide.read('a.txt')).to.equal(`mine\n${B}`);
        await ide.service.readChanges(true);
        await turn(3);
    });

    it('end with Keep, and one that is not known any more has no plan', async () => {
        ide.write('a.txt', B);
        const { id } = await turn(1);
        expect(await ide.service.keepChange(ide.uri('a.txt'), (await ide.row('a.txt')).version)).to.equal(true);
        expect((await ide.service.readChanges(true)).turns).to.deep.equal([]);
        expect(await ide.service.planTurnUndo(id, true)).to.equal(undefined);
        expect(await ide.service.undoTurn(id, true, [])).to.deep.equal({ done: [], left: [] });
    });

    it('of a folder in which another one is open have nothing of its files: what was kept there stays', async () => {
        fs.mkdirSync(ide.file('inner'));
        fs.writeFileSync(ide.file('inner/c.txt'), TEN_LINES);
        ide.commit();
        const roots = [ide.host.homeFolder, ide.file('inner')].map(folder => FileUri.create(folder).toString());
        await ide.service.hello(ide.backend.window(ide.page, { roots }));
        await eventually('both', async () => (await ide.service.readChanges(true)).tracking);
        ide.write('inner/c.txt', B);
        // The files by which CLIs find the IDE have changed, too.
        await eventually('the row', async () => (await ide.list()).includes('modified inner/c.txt +1 -1'));
        const kept = await ide.row('inner/c.txt');
        await eventually('its turn', async () => (await ide.service.readChanges(true)).turns.length > 0);
        expect((await ide.service.readChanges(true)).turns.map(({ id }) => id)).to.deep.equal([kept.turn]);
        ide.write('a.txt', B);
        await eventually('another row', async () => (await ide.list()).includes('modified a.txt +1 -1'));
        expect(await ide.service.keepChange(kept.uri, kept.version)).to.equal(true);
        await eventually('the turn outside', async () => (await ide.row('a.txt')).turn !== undefined);
        const { turn = '' } = await ide.row('a.txt');
        const plan = (await ide.service.planTurnUndo(turn, false)) ?? [];
        expect(plan.map(({ uri }) => uri)).to.deep.equal([ide.uri('a.txt')]);
        await ide.service.undoTurn(turn, false, [...plan, { uri: kept.uri, version: kept.version }]);
        expect([ide.read('a.txt'), ide.read('inner/c.txt')]).to.deep.equal([TEN_LINES, B]);
    });
});
