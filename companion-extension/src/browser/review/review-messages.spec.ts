// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { setARIAContainer } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { LateReason } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { FakeClosableMessages } from '../test/closable-messages';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { ClosableMessages } from '../window/closable-messages';
import { WorkspacePaths } from '../window/workspace-paths';
import { AnswerKind, OwnReview, PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewMessages } from './review-messages';

const SHOWN = { revision: PROPOSAL };

describe('Messages about proposals', () => {
    let messages: ReviewMessages;
    let clock: sinon.SinonFakeTimers;
    let closable: FakeClosableMessages;
    /** Messages that go by themselves. */
    let said: string[];
    let opened: string[];
    /** What the bar of the diff says. */
    let inBar: string[];
    let isOnScreen: boolean;
    let review: OwnReview;
    const onDidChange = new Emitter<PageReview>();
    const onDidOpen = new Emitter<PageReview>();
    const onDidOpenBehind = new Emitter<PageReview>();
    const onDidSee = new Emitter<PageReview>();

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        closable = new FakeClosableMessages();
        [said, opened, inBar, isOnScreen] = [[], [], [], false];
        review = pageReview('a.txt');
        const say = async (text: string): Promise<undefined> => void said.push(text);
        const services = new FakeServices();
        services.bind(PageReviews, { onDidChange: onDidChange.event, onDidSee: onDidSee.event });
        services.bind(ReviewEditors, {
            onDidOpen: onDidOpen.event,
            onDidOpenBehind: onDidOpenBehind.event,
            editorsOf: () => [{ notices: ['This file is new.', 'Outside.'], isOnScreen, say: (text: string) => inBar.push(text) }],
            activate: async ({ id }: PageReview) => void opened.push(id)
        });
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(MessageService, { info: say, warn: say });
        services.bind(ClosableMessages, closable);
        messages = services.create(ReviewMessages);
        messages.onStart();
        document.body.replaceChildren();
        setARIAContainer(document.body);
    });

    afterEach(() => {
        messages.onStop();
        clock.restore();
    });

    function answer(answered: OwnReview, kind: AnswerKind, how?: LateReason): void {
        answered.answer = { kind, shown: SHOWN, result: how ? { result: 'late', how } : { result: 'done' } };
        answered.isListed = false;
        onDidChange.fire(answered);
    }

    /** What screen readers read out. */
    function spoken(): string {
        return [...document.querySelectorAll('.monaco-status')].map(({ textContent }) => textContent).join('');
    }

    it('screen readers hear of a proposal and its notices in one text', () => {
        onDidOpen.fire(review);
        expect(spoken()).to.equal('Qwen Code proposes changes to a.txt. This file is new. Outside');
    });

    it('a proposal that opens behind something is announced until the user sees it', () => {
        onDidOpenBehind.fire(review);
        expect(closable.texts).to.deep.equal(['Qwen Code proposes changes to a.txt']);
        onDidSee.fire(pageReview('other.txt'));
        expect(closable.shown[0].isGone).to.equal(false);
        onDidSee.fire(review);
        expect(closable.shown[0].isGone).to.equal(true);
    });

    it('that message disappears when the proposal ends', () => {
        onDidOpenBehind.fire(review);
        onDidChange.fire(review);
        expect(closable.shown[0].isGone).to.equal(false);
        review.isListed = false;
        onDidChange.fire(review);
        expect(closable.shown[0].isGone).to.equal(true);
    });

    it('its button shows the proposal; closing the message does not', async () => {
        onDidOpenBehind.fire(review);
        await closable.press(0);
        expect(opened).to.deep.equal([]);
        onDidOpenBehind.fire(review);
        await closable.press(1, 'Show');
        expect(opened).to.deep.equal(['a.txt']);
    });

    it('an answer is read out', () => {
        answer(review, 'accept');
        expect(spoken()).to.equal('Accepted: a.txt');
        document.body.replaceChildren();
        setARIAContainer(document.body);
        answer(pageReview('b.txt'), 'reject');
        expect(spoken()).to.equal('Rejected: b.txt');
        expect(said).to.deep.equal([]);
    });

    it('one message names all files whose tabs were closed together', async () => {
        ['c.txt', 'a.txt', 'b.txt'].forEach(id => answer(pageReview(id), 'close'));
        await clock.tickAsync(200);
        answer(pageReview('later.txt'), 'close');
        await clock.tickAsync(200);
        expect(said).to.deep.equal([
            'Closing the tabs rejected the proposals for a.txt, b.txt, c.txt.',
            'Closing the tab rejected the proposal for later.txt.'
        ]);
    });

    it('a closed tab with edits is not named: the message that offers the edits says it', async () => {
        review.text.type({ text: 'typed', length: 5, isEdited: true });
        answer(review, 'close');
        review.text.dispose();
        await clock.tickAsync(200);
        expect(said).to.deep.equal([]);
    });

    it('an answer that came too late says what had happened before, once', () => {
        const reasons: LateReason[] = ['accepted', 'rejected', 'closed', 'orphaned', 'unknown'];
        for (const how of reasons) {
            const late = pageReview(how);
            answer(late, 'accept', how);
            onDidChange.fire(late);
        }
        expect(said).to.deep.equal([
            'The proposal for accepted was already accepted elsewhere.',
            'The proposal for rejected was already rejected elsewhere.',
            'Qwen Code had already closed its proposal for closed. Your answer changed nothing.',
            'Qwen Code was no longer connected when you answered its proposal for orphaned. Nothing was written.',
            'The proposal for unknown had ended before your answer, which changed nothing.'
        ]);
    });

    it('why a proposal could not be opened is said once', () => {
        review.problem = 'The diff could not be opened: <b>.';
        onDidChange.fire(review);
        onDidChange.fire(review);
        expect(said).to.deep.equal(['The diff could not be opened: &lt;b>.']);
    });

    it('a file that was not written is said, and the CLI can be asked again, for twenty seconds', async () => {
        let asked = 0;
        messages.notWritten(pageReview('a.txt').info!, undefined, () => asked++);
        const text = 'Qwen Code has not written a.txt, which you accepted. Its terminal may say why.';
        expect(closable.texts).to.deep.equal([text]);
        expect(spoken()).to.equal(text);
        await closable.press(0, 'Ask Again');
        expect(asked).to.equal(1);
        messages.notWritten(pageReview('a.txt').info!, undefined, () => asked++);
        await clock.tickAsync(19_999);
        expect(closable.shown[1].isGone).to.equal(false);
        await clock.tickAsync(1);
        expect(closable.shown[1].isGone).to.equal(true);
        expect(asked).to.equal(1);
    });

    it('a gesture that came too soon, and Save As, are explained', () => {
        messages.tooSoon(review);
        messages.noCopy();
        isOnScreen = true;
        messages.tooSoon(review);
        expect(inBar).to.deep.equal(['Not answered: look at it, then press again.']);
        expect(said).to.deep.equal([
            'Not answered: the screen has only just changed. Look at the proposal for a.txt, then press again.',
            'A proposal is not a file yet. Accept it first, or copy its text.'
        ]);
    });
});
