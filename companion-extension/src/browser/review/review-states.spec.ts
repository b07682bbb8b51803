// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PROPOSAL, ReviewInfo } from '../../common/companion-protocol';
import { ReviewStates } from './review-states';

describe('ReviewStates', () => {
    const nothing = { open: [], close: [], reject: [] };
    let states: ReviewStates;

    /** Number of the backend's newest state. */
    let sequence: number;

    beforeEach(() => {
        states = new ReviewStates();
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
            draft: PROPOSAL
        };
    }

    function next(): number {
        return ++sequence;
    }

    function show(id: string): void {
        states.startOpening(review(id));
        states.editorOpened(id);
    }

    it('does not close a diff because of a state from before the backend asked for it', () => {
        const before = next();
        states.reconcile([], before);
        states.asked('a');
        show('a');
        expect(states.reconcile([], before)).to.deep.equal(nothing);
        expect(states.reconcile([], next()).close).to.deep.equal(['a']);
    });

    it('closes a diff that waited for another one to open, and ended meanwhile', () => {
        states.asked('a');
        const after = next();
        states.reconcile([], after);
        show('a');
        expect(states.reconcile([], after).close).to.deep.equal(['a']);
    });

    it('opens a diff again if its accept did not arrive, also if its tab was closed meanwhile', () => {
        show('a');
        states.startAnswering('a', 'accepting');
        states.editorClosed('a');
        states.answerFailed('a');
        expect(states.reconcile([review('a')], next())).to.deep.include({ open: [review('a')], reject: [] });
    });

    it('tries only once by itself to open what cannot be shown', () => {
        states.startOpening(review('a'));
        states.openingFailed('a');
        expect(states.reconcile([review('a')], next()).open).to.deep.equal([]);
    });

    it('a new connection tries again to open what could not be shown, but not what the user closed', () => {
        states.startOpening(review('a'));
        states.openingFailed('a');
        show('closed');
        states.editorClosed('closed', true);
        states.openFailedAgain();
        expect(states.reconcile([review('a'), review('closed')], next()).open).to.deep.equal([review('a')]);
    });

    it('knows what is decided although the newest state lists it, until a later state lists it again', () => {
        show('a');
        expect(states.isDecided('a', sequence)).to.equal(false);
        states.reconcile([review('a')], next());
        states.startAnswering('a', 'rejecting');
        expect(states.isDecided('a', sequence)).to.equal(true);
        states.ended('a');
        expect(states.isDecided('a', sequence)).to.equal(true);
        expect(states.isDecided('a', next())).to.equal(false);
        expect(states.isDecided('unknown', sequence)).to.equal(false);
    });

    it('opens what waits and has no editor, once', () => {
        expect(states.reconcile([review('a')], next()).open).to.have.length(1);
        show('a');
        expect(states.reconcile([review('a')], next())).to.deep.equal(nothing);
    });

    it('does not open what is being opened', () => {
        states.startOpening(review('a'));
        expect(states.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(states.startOpening(review('a'))).to.equal(false);
    });

    it('adopts an editor that the layout restored', () => {
        states.editorOpened('a');
        expect(states.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(states.infoOf('a')?.path).to.equal('/ws/a');
    });

    it('closes editors of reviews that wait no longer, without an answer', () => {
        show('a');
        expect(states.reconcile([], next())).to.deep.equal({ ...nothing, close: ['a'] });
        expect(states.editorClosed('a')).to.equal(false);
        expect(states.reconcile([], next())).to.deep.equal(nothing);
    });

    it('closes an editor that is still being opened', () => {
        states.startOpening(review('a'));
        expect(states.reconcile([], next()).close).to.deep.equal(['a']);
        expect(states.isWaiting('a')).to.equal(false);
    });

    it('N5, N7: closing the last of several editors rejects, once', () => {
        show('a');
        states.editorOpened('a');
        expect(states.editorClosed('a')).to.equal(false);
        expect(states.editorClosed('a')).to.equal(true);
        expect(states.editorClosed('a')).to.equal(false);
        expect(states.startAnswering('a', 'accepting')).to.equal(false);
    });

    it('N7: closing after an answer says nothing', () => {
        show('a');
        expect(states.startAnswering('a', 'accepting')).to.equal(true);
        expect(states.startAnswering('a', 'accepting')).to.equal(false);
        expect(states.editorClosed('a')).to.equal(false);
    });

    it('a state that is older than the answer does not open it again', () => {
        show('a');
        const known = next();
        states.reconcile([review('a')], known);
        states.startAnswering('a', 'accepting');
        states.ended('a');
        states.editorClosed('a');
        expect(states.reconcile([review('a')], known)).to.deep.equal(nothing);
        states.reconcile([], next());
        expect(states.infoOf('a')).to.equal(undefined);
    });

    it('can be answered again if it comes back after an answer that was late', () => {
        show('a');
        states.startAnswering('a', 'accepting');
        // Another window shows it by now.
        expect(states.reconcile([], next())).to.deep.equal(nothing);
        states.ended('a');
        expect(states.editorClosed('a')).to.equal(false);
        expect(states.reconcile([review('a')], next()).open).to.deep.equal([review('a')]);
        show('a');
        expect(states.startAnswering('a', 'accepting')).to.equal(true);
    });

    it('if it comes back before its editors are closed, it is opened after that', () => {
        show('a');
        expect(states.reconcile([], next()).close).to.deep.equal(['a']);
        const back = next();
        expect(states.reconcile([review('a')], back)).to.deep.equal(nothing);
        states.editorClosed('a');
        expect(states.reconcile([review('a')], back).open).to.deep.equal([review('a')]);
    });

    it('asks once to close editors', () => {
        show('a');
        expect(states.reconcile([], next()).close).to.deep.equal(['a']);
        expect(states.reconcile([], next()).close).to.deep.equal([]);
    });

    it('an accept that is refused after the tab was closed becomes a rejection', () => {
        show('a');
        states.startAnswering('a', 'accepting');
        expect(states.acceptRefused('a')).to.equal(false);
        expect(states.startAnswering('a', 'accepting')).to.equal(true);
        states.editorClosed('a');
        expect(states.acceptRefused('a')).to.equal(true);
        states.answerFailed('a');
        expect(states.reconcile([review('a')], next()).reject).to.deep.equal(['a']);
    });

    it('opens a review that another window served when its diff was restored here, once it is this window’s', () => {
        // A new tab takes over the layout of the one that was closed, ten seconds before it takes over its reviews.
        states.editorOpened('a');
        expect(states.reconcile([], next()).close).to.deep.equal(['a']);
        states.ended('a');
        expect(states.editorClosed('a')).to.equal(false);
        expect(states.reconcile([review('a')], next()).open).to.deep.equal([review('a')]);
    });

    it('after an answer that failed, the user decides again', () => {
        show('a');
        states.startAnswering('a', 'accepting');
        states.answerFailed('a');
        expect(states.isWaiting('a')).to.equal(true);
        expect(states.editorClosed('a')).to.equal(true);
    });

    it('a rejection by closing the tab that did not arrive is sent again, and the diff does not open again', () => {
        show('a');
        states.editorClosed('a');
        states.answerFailed('a');
        expect(states.reconcile([review('a')], next())).to.deep.equal({ ...nothing, reject: ['a'] });
        expect(states.reconcile([review('a')], next())).to.deep.equal(nothing);
    });

    it('with onTabClose = keep, a review whose tab was closed keeps waiting, and does not open again by itself', () => {
        show('a');
        expect(states.editorClosed('a', true)).to.equal(false);
        expect(states.reconcile([review('a')], next())).to.deep.equal(nothing);
        expect(states.isWaiting('a')).to.equal(true);
        expect(states.startOpening(review('a')), 'the user may open it again').to.equal(true);
    });

    it('remembers what was kept until it is shown or decided, so that a reload does not open it again', () => {
        show('a');
        show('b');
        show('c');
        states.editorClosed('a', true);
        states.editorClosed('b', true);
        states.editorClosed('c', false);
        expect(states.kept).to.deep.equal(['a', 'b']);
        show('b');
        expect(states.kept).to.deep.equal(['a']);
        const reloaded = new ReviewStates();
        reloaded.keep(['a', 'decided']);
        expect(reloaded.reconcile([review('a'), review('b')], next()).open).to.deep.equal([review('b')]);
        expect(reloaded.kept).to.deep.equal(['a']);
    });

    it('rejects a review that was kept and shown again, when its tab is closed with the other preference', () => {
        show('a');
        states.editorClosed('a', true);
        show('a');
        expect(states.editorClosed('a', false)).to.equal(true);
    });

    it('an answer without an editor that did not arrive leaves the review to be answered again', () => {
        states.reconcile([review('a')], next());
        expect(states.startAnswering('a', 'accepting')).to.equal(true);
        states.answerFailed('a');
        expect(states.isWaiting('a')).to.equal(true);
        expect(states.reconcile([review('a')], next()).reject).to.deep.equal([]);
    });
});
