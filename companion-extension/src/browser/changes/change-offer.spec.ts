// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { StatusBar, StatusBarEntry } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { UndoneChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal, WindowState } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeAccepted } from './accepted-words';
import { ChangeOffer } from './change-offer';
import { PageChanges } from './page-changes';

function proposal(name: string, more: Partial<AcceptedProposal> = {}): AcceptedProposal {
    const path = `/ws/${name}`;
    return { id: name, path, uri: `file://${path}`, cliName: 'Qwen Code', verdict: 'written', judged: 1, acceptedAt: 0, ...more };
}

describe('The offer to undo a write', () => {
    let offer: ChangeOffer;
    let clock: sinon.SinonFakeTimers;
    let offered: StatusBarEntry | undefined;
    let state: WindowState | undefined;
    let undone: UndoneChange[];
    const onDidChangeState = new Emitter<void>();
    const onDidChange = new Emitter<void>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        [offered, state, undone] = [undefined, undefined, []];
        const services = new FakeServices();
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return state;
            }
        });
        services.bind(PageChanges, {
            onDidChange: onDidChange.event,
            get list() {
                return { undone };
            }
        });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(StatusBar, {
            setElement: async (_: string, entry: StatusBarEntry) => void (offered = entry),
            removeElement: async () => void (offered = undefined)
        });
        offer = services.create(ChangeOffer);
        offer.onStart();
    });

    afterEach(() => {
        offer.onStop();
        clock.restore();
    });

    /** @param accepted the newest first @returns what is offered */
    function tell(...accepted: AcceptedProposal[]): string | undefined {
        state = windowState({}, { accepted });
        onDidChangeState.fire();
        return offered?.text;
    }

    it('is there for half a minute, in the words for what happened', () => {
        tell();
        expect(tell(proposal('a.txt'))).to.equal('a.txt written $(discard) Undo');
        expect(offered?.command).to.equal('companion.review.undoAccepted');
        expect(tell(proposal('a.txt', { verdict: 'formatted', judged: 2 }))).to.equal('a.txt written, and formatted $(discard) Undo');
        expect(tell(proposal('b.txt', { verdict: 'different' }))).to.equal('b.txt written, but not as you accepted it $(discard) Undo');
        expect(tell(proposal('c.txt', { lost: 'executable' }))).to.equal('c.txt written: it cannot be executed any more $(discard) Undo');
        clock.tick(30_000);
        expect(offered).to.equal(undefined);
    });

    it('is about the newest write, or gone', () => {
        const [first, second] = [proposal('first.txt'), proposal('never-shared.txt', { noUndo: 'private' })];
        tell();
        expect(tell(first)).to.equal('first.txt written $(discard) Undo');
        expect(tell(second, first), 'Undo would take back another file').to.equal(undefined);
        expect(tell(first), 'an older one is no news').to.equal(undefined);
        expect(tell(proposal('late.txt', { verdict: 'notWritten' }), first)).to.equal(undefined);
        expect(tell(proposal('late.txt', { judged: 2 }), first)).to.equal('late.txt written $(discard) Undo');
    });

    it('is none for what was written before the page was loaded', () => {
        expect(tell(proposal('a.txt'))).to.equal(undefined);
        expect(tell(proposal('b.txt'), proposal('a.txt'))).to.equal('b.txt written $(discard) Undo');
    });

    it('to tell a CLI of an undo goes when one of its files is put back, in whichever window', () => {
        state = windowState();
        const list = (...names: string[]): string | undefined => {
            undone = names.map(name => ({ id: 'set', uri: `file:///ws/${name}` }) as UndoneChange);
            onDidChange.fire();
            return offered?.text;
        };
        const tellUndone = (...names: string[]): void =>
            offer.tellUndone(names.map(name => ({ uri: `file:///ws/${name}`, authors: ['Qwen Code'] })));
        list('earlier.txt');
        tellUndone('a.txt', 'b.txt');
        expect(list('earlier.txt', 'a.txt', 'b.txt')).to.equal('2 files undone $(comment) Tell Qwen Code');
        expect(list('a.txt', 'b.txt'), 'of another file').to.equal('2 files undone $(comment) Tell Qwen Code');
        expect(list('b.txt')).to.equal(undefined);
        tellUndone('c.txt');
        tell();
        expect(tell(proposal('d.txt'))).to.equal('d.txt written $(discard) Undo');
        list('c.txt');
        expect(list(), 'another offer').to.equal('d.txt written $(discard) Undo');
    });

    it('has a row that says how the file was written, and why there is no undo', () => {
        const rows: Array<Partial<AcceptedProposal>> = [
            {},
            { verdict: 'formatted', noUndo: 'private' },
            { verdict: 'different', noUndo: 'room' },
            { verdict: 'notWritten', noUndo: 'unknown' }
        ];
        expect(rows.map(row => describeAccepted(proposal('a.txt', row)))).to.deep.equal([
            '',
            'formatted, no undo: this file is never shared',
            'not as you accepted it, no undo: the text before is too large to be kept',
            'not written'
        ]);
    });
});
