// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ChangeDiffs } from './change-diff';
import { ChangeUris } from './change-uris';

const FILE = new URI('file:///ws/a b.ts');

describe('The left side of the diff of a change', () => {
    let version: number | undefined;
    const onDidChange = new Emitter<void>();

    function resource(diff: URI, side = 0): Resource {
        const changes = {
            onDidChange: onDidChange.event,
            find: (uri: string) => (uri === FILE.toString() && version !== undefined ? { version } : undefined),
            readBaseline: async () => (version === undefined ? undefined : { version, shown: `before ${version}` })
        };
        const contents = { read: async (file: URI) => ({ text: file.isEqual(FILE) ? 'the file' : 'another' }) };
        const [left, right] = JSON.parse(diff.query) as string[];
        return Object.assign(new ChangeDiffs(), { changes, contents }).resolve(new URI([left, right][side]));
    }

    it('is the baseline, read again with each version, and the file when nothing is listed any more', async () => {
        const diff = ChangeUris.diff(FILE, 'a b.ts (changed outside the editor)', false);
        expect(ChangeUris.changedFile(diff)?.toString()).to.equal(FILE.toString());
        version = 1;
        const left = resource(diff);
        let changed = 0;
        left.onDidChangeContents?.(() => changed++);
        expect(await left.readContents()).to.equal('before 1');
        onDidChange.fire();
        expect(changed).to.equal(0);
        version = 2;
        onDidChange.fire();
        expect(changed).to.equal(1);
        expect(await left.readContents()).to.equal('before 2');
        version = undefined;
        onDidChange.fire();
        expect(changed).to.equal(2);
        expect(await left.readContents()).to.equal('the file');
        left.dispose();
        version = 3;
        onDidChange.fire();
        expect(changed).to.equal(2);
    });

    it('of a deleted file has nothing on the right', async () => {
        const diff = ChangeUris.diff(FILE, 'a b.ts (deleted)', true);
        expect(ChangeUris.hasNoFile(diff)).to.equal(true);
        expect(await resource(diff, 1).readContents()).to.equal('');
        expect(ChangeUris.hasNoFile(ChangeUris.diff(FILE, '', false))).to.equal(false);
        expect(ChangeUris.changedFile(FILE)).to.equal(undefined);
    });

    it('offers single changes, but for a file that has none, and says so above it', () => {
        const happened: unknown[] = [];
        const editor = {
            widget: { editor: { uri: ChangeUris.diff(FILE, 'a b.ts', false) } },
            setRevertible: (revertible: boolean) => happened.push(revertible),
            setNotices: (notices: ReadonlyArray<{ text: string }>) => happened.push(notices.map(({ text }) => text))
        };
        let isWhole = false;
        const changes = { onDidChange: onDidChange.event, find: () => ({ isWhole }) };
        const shown = new Map([[editor.widget, editor]]);
        const diffs = Object.assign(new ChangeDiffs(), { changes, shown, editors: { onCreated: () => Disposable.NULL, all: [] } });
        diffs.onStart();
        onDidChange.fire();
        isWhole = true;
        onDidChange.fire();
        diffs.onStop();
        expect(happened).to.deep.equal([
            ...[true, []],
            ...[false, ['This file has more than 1 MB, or more than 20,000 lines. Keep or undo it as a whole.']]
        ]);
    });
});
