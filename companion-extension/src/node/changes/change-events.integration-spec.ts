// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import * as fs from 'fs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { CompanionEvents, CompanionRecord } from '../server/companion-events';
import { eventually } from '../test/test-cli';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What a product is told of answers to changes', () => {
    let ide: ChangesHost;
    let records: CompanionRecord[];
    const B = TEN_LINES.replace('b\n', 'B\n');

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'b.txt');
        fs.mkdirSync(ide.file('inner'));
        fs.writeFileSync(ide.file('inner/c.txt'), TEN_LINES);
        ide.commit();
        await ide.start();
        await ide.startAgent();
        records = [];
        ide.backend.container.get<CompanionEvents>(CompanionEvents).onDidRecord(record => records.push(record));
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    /** @returns what was recorded since the last call: what, of which file, of whom */
    function recorded(): string[] {
        const found = records.splice(0);
        expect(new Set(found.map(({ id }) => id)).size).to.equal(found.length);
        expect(JSON.stringify(found)).not.to.match(/\.txt|\/inner|TEN_LINES|[bB]\\n/);
        const names = ['a.txt', 'b.txt', 'new.txt', 'inner/c.txt', 'inner', 'many'];
        const hashed = names.map(name => [createHash('sha256').update(ide.file(name)).digest('hex'), name] as const);
        return found.map(record => {
            const { kind, windowId } = record;
            const [name] = 'file' in record ? hashed.filter(([hash]) => hash === record.file).map(([, known]) => known) : [];
            const agents = 'agents' in record ? record.agents.join() : '';
            const part = 'isPart' in record && record.isPart ? 'part' : 'all';
            return [kind, part, name, agents, ...(windowId === 'window-1' ? [] : [windowId])].join(' ');
        });
    }

    async function write(...names: string[]): Promise<void> {
        names.forEach(name => ide.write(name, B));
        await eventually('rows', async () => {
            const { files } = await ide.service.readChanges(false);
            return names.every(name => files.some(({ uri, authors }) => uri === ide.uri(name) && authors.length > 0));
        });
    }

    it('a file is kept, and one change of another; what has changed since is neither', async () => {
        await write('a.txt', 'b.txt');
        const [a, b] = [await ide.row('a.txt'), await ide.row('b.txt')];
        expect(await ide.service.keepChange(a.uri, a.version + 1)).to.equal(false);
        expect(await ide.service.keepChange(a.uri, a.version)).to.equal(true);
        expect(await ide.service.keepChange(a.uri, a.version)).to.equal(false);
        const lines = { baseStart: 1, baseEnd: 2, diskStart: 1, diskEnd: 2 };
        expect(await ide.service.keepChange(b.uri, b.version, lines)).to.equal(true);
        expect(recorded()).to.deep.equal(['kept all a.txt Qwen Code', 'kept part b.txt Qwen Code']);
    });

    it('a file is undone, and put back; one with edits that are not saved is not', async () => {
        await write('a.txt', 'b.txt');
        ide.page.unsaved.add(ide.uri('b.txt'));
        const rows = [await ide.row('a.txt'), await ide.row('b.txt')];
        await ide.service.undoFiles(rows);
        expect(recorded()).to.deep.equal(['undone all a.txt Qwen Code']);
        const [{ id }] = (await ide.service.readChanges(true)).undone;
        await ide.service.putBack(id);
        await ide.service.putBack(id);
        expect(recorded()).to.deep.equal(['putBack all a.txt Qwen Code']);
    });

    it('one change is undone in an editor: when that is done, and once', async () => {
        await write('a.txt');
        await ide.service.markUndone(ide.uri('a.txt'));
        expect(await ide.undo('a.txt', 0)).to.equal(true);
        expect(recorded(), 'the user may have typed in the last moment').to.deep.equal([]);
        await ide.service.markUndone(ide.uri('a.txt'));
        await ide.service.markUndone(ide.uri('a.txt'));
        expect(recorded()).to.deep.equal(['undone part a.txt Qwen Code']);
    });

    it('a turn is undone', async () => {
        await write('a.txt', 'new.txt');
        await eventually('its turn', async () => (await ide.service.readChanges(true)).turns[0]?.files === 2);
        const [{ id }] = (await ide.service.readChanges(false)).turns;
        await ide.service.undoTurn(id, false, (await ide.service.planTurnUndo(id, false)) ?? []);
        expect(recorded().sort()).to.deep.equal(['undone all a.txt Qwen Code', 'undone all new.txt Qwen Code']);
    });

    it('all is undone, or kept: also what lies in two folders of the workspace is told once', async () => {
        const roots = [ide.host.homeFolder, ide.file('inner')].map(folder => FileUri.create(folder).toString());
        await ide.service.hello(ide.backend.window(ide.page, { roots }));
        await eventually('both', async () => (await ide.service.readChanges(true)).tracking);
        await write('a.txt', 'inner/c.txt');
        await ide.service.readChanges(true);
        recorded();
        expect(await ide.service.keepAll((await ide.service.readChanges(false)).version)).to.equal(true);
        const ofBoth = (kind: string): string[] => [`${kind} all a.txt Qwen Code`, `${kind} all inner/c.txt Qwen Code`];
        expect(
            recorded()
                .filter(line => line.includes('.txt'))
                .sort()
        ).to.deep.equal(ofBoth('kept'));
        ide.write('a.txt', TEN_LINES);
        ide.write('inner/c.txt', TEN_LINES.replace('d\n', 'D\n'));
        await eventually('rows', async () => (await ide.list(true)).filter(line => line.includes('.txt')).length === 2);
        await ide.service.undoAll((await ide.service.readChanges(false)).version);
        expect(recorded().filter(line => line.includes('c.txt'))).to.deep.equal(['undone all inner/c.txt Qwen Code']);
    });
});
