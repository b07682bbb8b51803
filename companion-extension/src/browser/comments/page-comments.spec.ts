// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { expect } from 'chai';
import { Calls } from '../../common/calls';
import { SystemClock } from '../../common/clock';
import { Comment, CommentDraft, CommentsBackend } from '../../common/comments-protocol';
import { FakeClosableMessages } from '../test/closable-messages';
import { FakeServices } from '../test/fake-services';
import { windowState } from '../test/status';
import { ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { PageReload } from '../window/page-reload';
import { PageComments } from './page-comments';

const DRAFT: CommentDraft = { id: 'a', uri: 'file:///ws/a.ts', first: 1, last: 1, quote: 'one', text: 'why' };

describe('The comments of a page', () => {
    let stored: Comment[];
    let failure: Error | undefined;
    let warnings: FakeClosableMessages;
    let answer: string | undefined;
    let isReload: boolean;
    let comments: PageComments;
    let calls: Calls;
    const [onDidHello, onDidFocus, onDidChangeState] = [new Emitter<void>(), new Emitter<void>(), new Emitter<void>()];
    const connection = { state: windowState({}, { comments: 0 }), connected: true };

    beforeEach(() => {
        window.sessionStorage.clear();
        [stored, failure, answer, isReload] = [[], undefined, undefined, false];
        connection.state = windowState({}, { comments: 0 });
        comments = load();
    });

    afterEach(() => end());

    /** A page that loads. */
    function load(): PageComments {
        calls = new Calls(new SystemClock(), () => true);
        const backend: CommentsBackend = {
            saveComment: async (draft, isMoved) => {
                if (failure) {
                    throw failure;
                }
                const { text } = (isMoved && stored.find(({ id }) => id === draft.id)) || draft;
                stored = [...stored.filter(({ id }) => id !== draft.id), { ...draft, text, isSent: false, daysLeft: 14 }];
            },
            discardComment: async id => void (stored = stored.filter(comment => comment.id !== id)),
            listComments: async () => stored,
            markCommentsSent: async ids => void (stored = stored.map(comment => ({ ...comment, isSent: ids.includes(comment.id) })))
        };
        const services = new FakeServices();
        services.bind(CommentsBackend, backend);
        services.bind(
            CompanionConnection,
            Object.assign(connection, {
                onDidHello: onDidHello.event,
                onDidFocus: onDidFocus.event,
                onDidChangeState: onDidChangeState.event,
                calls,
                ask: (call: () => Promise<unknown>) => call()
            })
        );
        services.bind(MessageService, { info: async () => answer });
        warnings = new FakeClosableMessages();
        services.bind(ClosableMessages, warnings);
        services.bind(PageReload, {
            get isChosen() {
                return isReload;
            }
        });
        const page = services.create(PageComments);
        page.onStart();
        onDidHello.fire();
        return page;
    }

    function end(): void {
        comments.onStop();
        calls.dispose();
    }

    async function until(what: string, isTrue: () => boolean): Promise<void> {
        for (let n = 0; !isTrue(); n++) {
            expect(n, what).to.be.below(200);
            await new Promise(resolve => setTimeout(resolve, 10));
        }
    }

    /** The user closes the tab. @returns whether the browser asks first */
    function leave(): boolean {
        const event = new window.Event('beforeunload', { cancelable: true });
        window.dispatchEvent(event);
        return event.defaultPrevented;
    }

    const texts = (): string[] => comments.drafts.map(({ text }) => text);

    it('are saved when the user pauses', async () => {
        comments.write({ ...DRAFT, text: 'wh' });
        comments.write(DRAFT);
        expect(stored).to.deep.equal([]);
        await until('the save', () => stored.length === 1);
        expect(stored[0].text).to.equal('why');
        expect(window.sessionStorage.length).to.equal(0);
    });

    it('survive a reload before they are saved', async () => {
        failure = new Error('no backend');
        comments.write(DRAFT);
        end();
        failure = undefined;
        comments = load();
        await until('the comment', () => texts().join() === 'why');
        await until('the save', () => stored.length === 1);
    });

    it('are not counted before they have a text, and are in the order of their lines', async () => {
        comments.write({ ...DRAFT, id: 'c', first: 9, last: 9, text: 'third' });
        comments.write({ ...DRAFT, id: 'b', first: 5, last: 5, text: ' ' });
        comments.write({ ...DRAFT, text: 'first' });
        expect(texts()).to.deep.equal(['first', 'third']);
        expect(comments.all).to.have.length(3);
    });

    it('say once if they cannot be stored, and no longer when they are', async () => {
        failure = new Error('disk full');
        comments.write(DRAFT);
        await until('the message', () => warnings.shown.length > 0);
        expect(warnings.texts).to.have.length(1);
        expect(warnings.texts[0]).to.include('disk full');
        expect([texts(), warnings.shown[0].isGone]).to.deep.equal([['why'], false]);
        failure = undefined;
        const isStored = (id: string): boolean => stored.some(comment => comment.id === id);
        comments.write({ ...DRAFT, id: 'b' });
        await until('the save of another one', () => isStored('b'));
        expect(warnings.shown[0].isGone).to.equal(isStored('a'));
        comments.write({ ...DRAFT, text: 'why not' });
        await until('the save', () => isStored('a'));
        expect(warnings.shown[0].isGone).to.equal(true);
    });

    it('go at once when they are discarded, and come back with Undo', async () => {
        comments.write(DRAFT);
        await until('the save', () => stored.length === 1);
        comments.discard('a');
        expect(texts()).to.deep.equal([]);
        await until('it to go', () => stored.length === 0);
        answer = 'Undo';
        comments.write(DRAFT);
        comments.discard('a');
        await until('it to be back', () => texts().join() === 'why' && stored.length === 1);
    });

    it('are no drafts once they are sent', async () => {
        comments.write(DRAFT);
        const sent = comments.drafts;
        await comments.confirm();
        await comments.markSent(sent);
        expect([texts(), comments.sent.map(({ text }) => text)]).to.deep.equal([[], ['why']]);
    });

    it('stay drafts with what was typed after they were put into a prompt', async () => {
        comments.write(DRAFT);
        const sent = comments.drafts;
        await comments.confirm();
        comments.write({ ...DRAFT, text: 'why, and since when' });
        await comments.confirm();
        await comments.markSent(sent);
        expect([texts(), comments.sent]).to.deep.equal([['why, and since when'], []]);
    });

    it('that another window sends while one is typed here stay drafts', async () => {
        stored = [{ ...DRAFT, isSent: false, daysLeft: 14 }];
        onDidFocus.fire();
        await until('the list', () => comments.all.length === 1);
        comments.write({ ...DRAFT, text: 'why, and' });
        stored = [{ ...DRAFT, isSent: true, daysLeft: 14 }];
        let hasGone = false;
        const listening = comments.onDidChange(() => (hasGone ||= texts().length === 0));
        onDidFocus.fire();
        await until('the save', () => stored[0].text === 'why, and');
        listening.dispose();
        expect([texts(), hasGone]).to.deep.equal([['why, and'], false]);
    });

    it('that only move in one window keep what is typed in another one', async () => {
        comments.write({ ...DRAFT, text: 'old' });
        await until('the save', () => stored.length === 1);
        const [beside, callsBeside] = [comments, calls];
        comments = load();
        await until('the list', () => comments.all.length === 1);
        beside.write({ ...DRAFT, text: 'old and new words' });
        await new Promise(resolve => setTimeout(resolve, 100));
        // An agent writes the file, whose editor is here.
        comments.write({ ...DRAFT, text: 'old', first: 5, last: 5 });
        await until('the save of the words', () => stored[0].text !== 'old');
        connection.state = windowState({}, { comments: 1 });
        onDidChangeState.fire();
        await until('the save of the lines', () => stored[0].first === 5);
        beside.onStop();
        callsBeside.dispose();
        expect([stored[0].text, texts()]).to.deep.equal(['old and new words', ['old and new words']]);
    });

    it('are sent off when their tab closes, and the browser asks as long as they are only there', async () => {
        expect(leave()).to.equal(false);
        failure = new Error('no backend');
        comments.write(DRAFT);
        expect(leave()).to.equal(true);
        failure = undefined;
        expect(leave()).to.equal(true);
        await until('the save', () => stored.length === 1);
        expect(leave()).to.equal(false);
        comments.write({ ...DRAFT, text: 'why not' });
        isReload = true;
        expect(leave(), 'the tab stays').to.equal(false);
    });

    it('of other windows are listed when the state has another number', async () => {
        stored = [{ ...DRAFT, isSent: false, daysLeft: 14 }];
        connection.state = windowState({}, { comments: 1 });
        onDidChangeState.fire();
        await until('the list', () => texts().join() === 'why');
    });
});
