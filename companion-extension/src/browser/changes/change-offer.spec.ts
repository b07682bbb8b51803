// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { StatusBar, StatusBarEntry } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { AcceptedProposal, WindowState } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeAccepted } from './accepted-words';
import { ChangeOffer } from './change-offer';

function proposal(name: string, more: Partial<AcceptedProposal> = {}): AcceptedProposal {
    const path = `/ws/${name}`;
    return { id: name, path, uri: `file://${path}`, cliName: 'Qwen Code', verdict: 'written', judged: 1, acceptedAt: 0, ...more };
}

describe('The offer to undo a write', () => {
    let offer: ChangeOffer;
    let clock: sinon.SinonFakeTimers;
    let offered: StatusBarEntry | undefined;
    let state: WindowState | undefined;
    const onDidChangeState = new Emitter<void>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        [offered, state] = [undefined, undefined];
        const services = new FakeServices();
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return state;
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
