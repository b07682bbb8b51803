// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, Widget } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { expect } from 'chai';
import { stub } from 'sinon';
import { FileState, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { TestDialog } from '../test/dialog';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { reviewInfo } from '../test/review-info';
import { CliTerminals } from '../window/cli-terminals';
import { AnswerGuard } from '../window/answer-guard';
import { FileLooks } from '../diff/file-looks';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewBars } from './review-bars';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewUris } from './review-uris';
import { WaitingReviews } from './waiting-reviews';

describe('What a user does with the reviews that wait', () => {
    let waiting: WaitingReviews;
    /** What happened, in order. */
    let happened: string[];
    let infos: ReviewInfo[];
    let onScreen: string[];
    let seen: string[];
    let takesKeys: boolean;
    let showsChange: boolean;
    let refusal: string | undefined;
    let isUnread: boolean;
    let onDidNotCount: Emitter<{ review: PageReview; file: FileState }>;
    let shown: ShownText;
    let isChanged: boolean;
    let active: string | undefined;
    /** That has the keyboard. */
    let activeWidget: Widget | undefined;
    let restarted: number;
    const onDidChange = new Emitter<void>();

    beforeEach(() => {
        happened = [];
        infos = [reviewInfo('first'), reviewInfo('second')];
        onScreen = [];
        seen = [];
        takesKeys = true;
        showsChange = true;
        refusal = undefined;
        isUnread = false;
        onDidNotCount = new Emitter();
        shown = { revision: PROPOSAL };
        isChanged = false;
        [active, activeWidget] = [undefined, undefined];
        restarted = 0;
        const note =
            (what: string) =>
            (review: { id: string }): void =>
                void happened.push(`${what} ${review.id}`);
        const services = new FakeServices();
        services.bind(PageReviews, {
            onDidChange: onDidChange.event,
            onDidNotCount: onDidNotCount.event,
            get waiting() {
                return infos;
            },
            get here() {
                return infos;
            },
            get: (id: string | undefined) =>
                infos
                    .filter(one => one.id === id)
                    .map(one => ({
                        id,
                        info: one,
                        isWaiting: true,
                        isAnswering: false,
                        isSeen: seen.includes(one.id),
                        answer: { isUnread },
                        text: { proposal: 'has \uFFFD', about: { uri: one.uri } }
                    }))[0],
            lookAtAll: () => undefined,
            seenSince: () => 1,
            takeSeen: () => ({ shown }),
            accept: ({ id }: PageReview) => !isChanged && happened.push(`accepted ${id}`) > 0,
            reject: note('rejected')
        });
        services.bind(AnswerGuard, {
            takesAnswer: (_: number, since: number) => takesKeys && since === 1,
            restart: () => restarted++,
            recordAnswer: () => undefined
        });
        services.bind(ReviewFocus, {
            get active() {
                return active;
            }
        });
        services.bind(ReviewEditors, {
            isOnScreen: (id: string) => onScreen.includes(id),
            editorsOf: (id: string) => [{ isOnScreen: true, showsChange, revealChange: () => note('revealed a change of')({ id }) }],
            reveal: note('revealed'),
            activate: note('opened')
        });
        services.bind(ReviewBars, { refusalOf: () => refusal });
        services.bind(FileLooks, {
            tellUnread: (uri: string) => void happened.push(`unread ${uri}`),
            tellSilent: (uri: string) => void happened.push(`silent ${uri}`)
        });
        services.bind(ReviewMessages, { tooSoon: note('too soon') });
        services.bind(CliTerminals, { find: async () => [{ displayName: 'Gemini CLI' }] });
        services.bind(ApplicationShell, {
            get activeWidget() {
                return activeWidget;
            }
        });
        services.bind(MessageService, { info: (text: string) => void happened.push(text) });
        services.bind(ContextKeyService, { createKey: () => ({ set: () => undefined }) });
        waiting = services.create(WaitingReviews);
    });

    it('none has just ended: only then may a key be meant for something else', () => {
        const now = stub(performance, 'now').returns(10_000);
        onDidChange.fire();
        expect(waiting.isQuiet, 'some wait').to.equal(false);
        infos = [];
        onDidChange.fire();
        now.returns(11_999);
        onDidChange.fire();
        expect(waiting.isQuiet, 'they have just ended').to.equal(false);
        now.returns(12_000);
        expect(waiting.isQuiet).to.equal(true);
        now.restore();
    });

    it('a key means the one that is on the screen', async () => {
        onScreen = ['second'];
        expect((await waiting.meant())?.id).to.equal('second');
        expect(happened).to.deep.equal([]);
    });

    it('a key means none while nothing that changes is in view: it comes there', async () => {
        onScreen = ['second'];
        showsChange = false;
        expect(await waiting.meant()).to.equal(undefined);
        expect(happened).to.deep.equal(['revealed a change of second', 'too soon second']);
        expect(restarted).to.equal(1);
    });

    it('a key in the terminal of a CLI means its own proposal, and first brings that to the front', async () => {
        infos = [reviewInfo('ours', { cliName: 'Qwen Code' }), reviewInfo('theirs', { cliName: 'Gemini CLI' })];
        activeWidget = Object.create(TerminalWidget.prototype) as TerminalWidget;
        onScreen = ['ours'];
        expect(await waiting.meant()).to.equal(undefined);
        expect(happened).to.deep.equal(['revealed theirs']);
        onScreen = ['ours', 'theirs'];
        expect((await waiting.meant())?.id).to.equal('theirs');
    });

    it('a key that comes before the user had a moment to look means none', async () => {
        onScreen = ['second'];
        takesKeys = false;
        expect(await waiting.meant()).to.equal(undefined);
        expect(happened, 'and it says so').to.deep.equal(['too soon second']);
    });

    it('if none is on the screen, the key brings the oldest to the front and answers nothing', async () => {
        expect(await waiting.meant()).to.equal(undefined);
        expect(happened).to.deep.equal(['revealed first']);
    });

    it('if several are on the screen, the key gives one the keyboard and answers nothing', async () => {
        onScreen = ['first', 'second'];
        expect(await waiting.meant()).to.equal(undefined);
        expect(happened).to.deep.equal(['opened first']);
    });

    it('of several on the screen, a key means the one that has the keyboard', async () => {
        onScreen = ['first', 'second'];
        active = 'second';
        expect((await waiting.meant())?.id).to.equal('second');
    });

    it('an accept of what nobody has seen opens it instead', async () => {
        await waiting.accept(infos[0]);
        expect(happened).to.deep.equal(['opened first']);
        seen = ['first'];
        await waiting.accept(infos[0]);
        await TestDialog.settled();
        expect(happened).to.deep.equal(['opened first', 'accepted first']);
    });

    it('an accept does not count if the file is not what the left side shows', () => {
        onDidNotCount.fire({ review: pageReview('first'), file: 'changed' });
        expect(happened).to.deep.equal(['too soon first']);
        expect(restarted).to.equal(1);
    });

    it('an accept does not count if the file cannot be read, and a second one does, without a look', async () => {
        onDidNotCount.fire({ review: pageReview('first'), file: 'silent' });
        expect(happened).to.deep.equal(['silent file:///ws/first']);
        isUnread = true;
        waiting.answer(infos[0], 'accept');
        await TestDialog.settled();
        expect(happened.slice(1)).to.deep.equal(['accepted first', 'unread file:///ws/first']);
    });

    it('an accept of a text that has gained damaged characters asks first', async () => {
        TestDialog.enable();
        shown = { revision: { page: 'page', n: 1 }, text: 'has \uFFFD and \uFFFD' };
        waiting.answer(infos[0], 'accept');
        expect(await TestDialog.answer('Cancel')).to.include('could not be read');
        expect(happened).to.deep.equal([]);
        waiting.answer(infos[0], 'accept');
        await TestDialog.answer('Accept');
        expect(happened).to.deep.equal(['accepted first']);
        shown = { ...shown, text: 'has \uFFFD, as proposed' };
        await waiting.accept(infos[0]);
    });

    it('an accept does not count if a side of the diff has changed under that question', async () => {
        TestDialog.enable();
        shown = { revision: { page: 'page', n: 1 }, text: 'has \uFFFD and \uFFFD' };
        waiting.answer(infos[0], 'accept');
        await TestDialog.settled();
        isChanged = true;
        await TestDialog.answer('Accept');
        expect([happened, restarted]).to.deep.equal([['too soon first'], 1]);
    });

    it('an accept that would do nothing shows the review and says why; it can still be rejected', () => {
        refusal = 'The CLI has exited.';
        waiting.answer(infos[0], 'accept');
        expect(happened).to.deep.equal(['opened first']);
        waiting.answer(infos[0], 'reject');
        expect(happened).to.deep.equal(['opened first', 'rejected first']);
    });

    it('a click on a diff that has just appeared answers nothing and says so', () => {
        const review = { id: 'first', isAnswering: false } as PageReview;
        expect(waiting.takesClick(review)).to.equal(true);
        takesKeys = false;
        expect(waiting.takesClick(review)).to.equal(false);
        expect(happened).to.deep.equal(['too soon first']);
    });

    it('a button means the review that it belongs to, unless its diff has just appeared', async () => {
        const widget = editorWidget(ReviewUris.uriOfProposal(infos[1]));
        expect(await waiting.meant(widget)).to.equal(infos[1]);
        takesKeys = false;
        expect(await waiting.meant(widget)).to.equal(undefined);
        expect(happened).to.deep.equal([`too soon ${infos[1].id}`]);
    });

    it('a second click while the answer is on its way says nothing', () => {
        takesKeys = false;
        expect(waiting.takesClick({ id: 'first', isAnswering: true } as PageReview)).to.equal(false);
        expect(happened).to.deep.equal([]);
    });

    it('a key that only moved the screen does not answer when it is pressed again at once', async () => {
        await waiting.meant();
        expect(restarted).to.equal(1);
        onScreen = ['first', 'second'];
        await waiting.meant();
        expect(restarted).to.equal(2);
        onScreen = ['first'];
        takesKeys = false;
        await waiting.meant();
        expect(restarted).to.equal(3);
    });

    it('Next goes round, and says so if no other one waits', async () => {
        active = 'first';
        await waiting.activateNext();
        active = 'second';
        await waiting.activateNext();
        infos = [infos[1]];
        await waiting.activateNext();
        expect(happened).to.deep.equal(['opened second', 'opened first', 'No other proposal is waiting.']);
    });
});
