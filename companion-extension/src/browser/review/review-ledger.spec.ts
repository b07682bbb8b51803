// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PROPOSAL_VERSION, ReviewInfo } from '../../common/companion-protocol';
import { ReviewLedger } from './review-ledger';

describe('ReviewLedger', () => {
    const nothing = { open: [], close: [], reject: [] };
    let ledger: ReviewLedger;

    /** Of the backend's states: each has a number. */
    let sequence: number;

    beforeEach(() => {
        ledger = new ReviewLedger();
        sequence = 0;
    });

    function review(id: string): ReviewInfo {
        return {
            id,
            path: `/ws/${id}`,
            uri: `file:///ws/${id}`,
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            otherClis: [],
            traits: {},
            openedAt: 0,
            version: PROPOSAL_VERSION
        };
    }

    function next(): number {
        return ++sequence;
    }

    function show(id: string): void {
        ledger.startOpening(review(id));
        ledger.viewOpened(id);
    }

    it('opens a diff again whose acceptance did not get through, also if its tab was closed meanwhile', () => {
        show('a');
        ledger.startAnswering('a', 'accepting');
        ledger.viewClosed('a');
        ledger.answerFailed('a');
        expect(ledger.reconcile([review('a')], next())).to.deep.include({ open: [review('a')], reject: [] });
    });

    it('tries once by itself to open what cannot be shown', () => {
        ledger.startOpening(review('a'));
        ledger.openingFailed('a');
        expect(ledger.reconcile([review('a')], next()).open).to.deep.equal([]);
    });

    it('tries again on a new connection to open what could not be shown, but not what the user closed', () => {
        ledger.startOpening(review('a'));
        ledger.openingFailed('a');
        show('closed');
        ledger.viewClosed('closed', true);
        ledger.openFailedAgain();
        expect(ledger.reconcile([review('a'), review('closed')], next()).open).to.deep.equal([review('a')]);
    });

    it('opens what waits and has no view, once', () => {
        expect(ledger.reconcile([review('a')], next()).open).to.have.length(1);
        show('a');
        expect(ledger.reconcile([review('a')], next())).to.deep.equal(nothing);
    });

    it('does not open what is being opened', () => {
        ledger.startOpening(review('a'));
        expect(ledger.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(ledger.startOpening(review('a'))).to.equal(false);
    });

    it('adopts a view that the layout brought back', () => {
        ledger.viewOpened('a');
        expect(ledger.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(ledger.infoOf('a')?.path).to.equal('/ws/a');
    });

    it('closes views of reviews that wait no longer, without an answer', () => {
        show('a');
        expect(ledger.reconcile([], next())).to.deep.equal({ ...nothing, close: ['a'] });
        expect(ledger.viewClosed('a')).to.equal(false);
        expect(ledger.reconcile([], next())).to.deep.equal(nothing);
    });

    it('closes a view that is still being opened', () => {
        ledger.startOpening(review('a'));
        expect(ledger.reconcile([], next()).close).to.deep.equal(['a']);
        expect(ledger.isWaiting('a')).to.equal(false);
    });

    it('N5, N7: closing the last of several views rejects, once', () => {
        show('a');
        ledger.viewOpened('a');
        expect(ledger.viewClosed('a')).to.equal(false);
        expect(ledger.viewClosed('a')).to.equal(true);
        expect(ledger.viewClosed('a')).to.equal(false);
        expect(ledger.startAnswering('a', 'accepting')).to.equal(false);
    });

    it('N7: closing after an answer says nothing', () => {
        show('a');
        expect(ledger.startAnswering('a', 'accepting')).to.equal(true);
        expect(ledger.startAnswering('a', 'accepting')).to.equal(false);
        expect(ledger.viewClosed('a')).to.equal(false);
    });

    it('is not opened again by a state that is older than the answer', () => {
        show('a');
        const known = next();
        ledger.reconcile([review('a')], known);
        ledger.startAnswering('a', 'accepting');
        ledger.ended('a');
        ledger.viewClosed('a');
        expect(ledger.reconcile([review('a')], known)).to.deep.equal(nothing);
        ledger.reconcile([], next());
        expect(ledger.infoOf('a')).to.equal(undefined);
    });

    it('can be answered again when it comes back after an answer that was late', () => {
        show('a');
        ledger.startAnswering('a', 'accepting');
        // Another window shows it by now.
        expect(ledger.reconcile([], next())).to.deep.equal(nothing);
        ledger.ended('a');
        expect(ledger.viewClosed('a')).to.equal(false);
        expect(ledger.reconcile([review('a')], next()).open).to.deep.equal([review('a')]);
        show('a');
        expect(ledger.startAnswering('a', 'accepting')).to.equal(true);
    });

    it('is opened once its views are closed where it came back before', () => {
        show('a');
        expect(ledger.reconcile([], next()).close).to.deep.equal(['a']);
        const back = next();
        expect(ledger.reconcile([review('a')], back)).to.deep.equal(nothing);
        ledger.viewClosed('a');
        expect(ledger.reconcile([review('a')], back).open).to.deep.equal([review('a')]);
    });

    it('asks once to close views', () => {
        show('a');
        expect(ledger.reconcile([], next()).close).to.deep.equal(['a']);
        expect(ledger.reconcile([], next()).close).to.deep.equal([]);
    });

    it('an accept that is refused after the tab was closed becomes a rejection', () => {
        show('a');
        ledger.startAnswering('a', 'accepting');
        expect(ledger.acceptRefused('a')).to.equal(false);
        expect(ledger.startAnswering('a', 'accepting')).to.equal(true);
        ledger.viewClosed('a');
        expect(ledger.acceptRefused('a')).to.equal(true);
        ledger.answerFailed('a');
        expect(ledger.reconcile([review('a')], next()).reject).to.deep.equal(['a']);
    });

    it('opens a review that another window served when its diff was restored here, once it is this window’s', () => {
        // A new tab takes over the layout of the one that was closed, ten seconds before it takes over its reviews.
        ledger.viewOpened('a');
        expect(ledger.reconcile([], next()).close).to.deep.equal(['a']);
        ledger.ended('a');
        expect(ledger.viewClosed('a')).to.equal(false);
        expect(ledger.reconcile([review('a')], next()).open).to.deep.equal([review('a')]);
    });

    it('after an answer that failed, the user decides again', () => {
        show('a');
        ledger.startAnswering('a', 'accepting');
        ledger.answerFailed('a');
        expect(ledger.isWaiting('a')).to.equal(true);
        expect(ledger.viewClosed('a')).to.equal(true);
    });

    it('a rejection by closing that did not get through is sent again, and the diff not opened again', () => {
        show('a');
        ledger.viewClosed('a');
        ledger.answerFailed('a');
        expect(ledger.reconcile([review('a')], next())).to.deep.equal({ ...nothing, reject: ['a'] });
        expect(ledger.reconcile([review('a')], next())).to.deep.equal(nothing);
    });

    it('keeps a review waiting whose tab was closed, where closing is to keep it, and does not open it again by itself', () => {
        show('a');
        expect(ledger.viewClosed('a', true)).to.equal(false);
        expect(ledger.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(ledger.isWaiting('a')).to.equal(true);
        expect(ledger.startOpening(review('a')), 'the user may open it again').to.equal(true);
    });

    it('remembers what was kept, so that a reload does not open it again, until it is shown or decided', () => {
        show('a');
        show('b');
        show('c');
        ledger.viewClosed('a', true);
        ledger.viewClosed('b', true);
        ledger.viewClosed('c', false);
        expect(ledger.kept).to.deep.equal(['a', 'b']);
        show('b');
        expect(ledger.kept).to.deep.equal(['a']);
        const reloaded = new ReviewLedger();
        reloaded.keep(['a', 'decided']);
        expect(reloaded.reconcile([review('a'), review('b')], next()).open).to.deep.equal([review('b')]);
        expect(reloaded.kept).to.deep.equal(['a']);
    });

    it('rejects a review that was kept and shown again, when its tab is closed with the other preference', () => {
        show('a');
        ledger.viewClosed('a', true);
        show('a');
        expect(ledger.viewClosed('a', false)).to.equal(true);
    });

    it('an answer without a view that did not get through leaves the review to be answered again', () => {
        ledger.reconcile([review('a')], next());
        expect(ledger.startAnswering('a', 'accepting')).to.equal(true);
        ledger.answerFailed('a');
        expect(ledger.isWaiting('a')).to.equal(true);
        expect(ledger.reconcile([review('a')], next()).reject).to.deep.equal([]);
    });
});
