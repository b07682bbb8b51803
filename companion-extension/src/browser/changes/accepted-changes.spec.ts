// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { StatusBar, StatusBarEntry } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { Written } from '../review/expected-write';
import { WrittenFiles } from '../review/written-files';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { WorkspacePaths } from '../window/workspace-paths';
import { AcceptedChanges } from './accepted-changes';
import { ChangeOffer } from './change-offer';

describe('Proposals that were accepted', () => {
    let accepted: AcceptedChanges;
    let clock: sinon.SinonFakeTimers;
    let offered: StatusBarEntry | undefined;
    const onDidWrite = new Emitter<Written>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        offered = undefined;
        const services = new FakeServices();
        services.bind(WrittenFiles, { onDidWrite: onDidWrite.event });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(StatusBar, {
            setElement: async (_: string, entry: StatusBarEntry) => void (offered = entry),
            removeElement: async () => void (offered = undefined)
        });
        services.bindReal(ChangeOffer);
        accepted = services.create(AcceptedChanges);
        accepted.onStart();
    });

    afterEach(() => {
        accepted.onStop();
        clock.restore();
    });

    function write(name: string, before: string | undefined, text: string | undefined, more: Partial<Written> = {}): void {
        const review = reviewInfo(name);
        onDidWrite.fire({ review, before: { exists: true, text: before }, text, differs: false, ...more });
    }

    const texts = (): unknown[] => accepted.all.map(({ uri, kind, base, text }) => [uri.slice('file:///ws/'.length), kind, base, text]);

    it('are rows with both texts, the newest first, as the list has texts', () => {
        write('a.txt', 'one\r\n', '\uFEFFONE\r\n');
        write('new.txt', '', 'new\n', { before: { exists: false, text: '' } });
        expect(texts()).to.deep.equal([
            ['new.txt', 'added', null, 'new\n'],
            ['a.txt', 'modified', 'one\n', 'ONE\n']
        ]);
        expect(accepted.all[0].authors).to.deep.equal(['Qwen Code']);
    });

    it('are one row each, also if a formatter follows, and go with their undo; at most 20 are kept', () => {
        write('a.txt', 'one\n', 'ONE\n');
        write('a.txt', 'one\n', 'One\n', { differs: true });
        expect(texts()).to.deep.equal([['a.txt', 'modified', 'one\n', 'One\n']]);
        accepted.remove(accepted.all[0]);
        expect([accepted.all, offered]).to.deep.equal([[], undefined]);
        Array.from({ length: 21 }, (_, index) => write(`${index}.txt`, 'one\n', 'ONE\n'));
        expect([accepted.all.length, texts()[0]]).to.deep.equal([20, ['20.txt', 'modified', 'one\n', 'ONE\n']]);
    });

    it('are offered in the status bar for half a minute, in the words for what happened', () => {
        write('a.txt', 'one\n', 'ONE\n');
        expect(offered?.text).to.equal('a.txt written $(discard) Undo');
        expect(offered?.command).to.equal('companion.review.undoAccepted');
        write('a.txt', 'one\n', 'One\n', { differs: true });
        expect(offered?.text).to.equal('a.txt written, but not as you accepted it $(discard) Undo');
        write('a.txt', 'one\n', 'ONE\n', { lost: 'executable' });
        expect(offered?.text).to.equal('a.txt written: it cannot be executed any more $(discard) Undo');
        clock.tick(30_000);
        expect(offered).to.equal(undefined);
        expect(accepted.all.length, 'the command stays').to.equal(1);
    });

    it('are none where a text is not known', () => {
        write('a.txt', undefined, 'ONE\n');
        write('b.txt', 'one\n', undefined);
        expect([accepted.all, offered]).to.deep.equal([[], undefined]);
    });
});
