// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo, ReviewSave } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { ReviewBackend } from '../../common/review-protocol';
import { ModelClock, settle } from '../../test/reviews/model-clock';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { CompanionConnection } from '../window/companion-connection';
import { AnswerGuard } from '../window/answer-guard';
import { PageReload } from '../window/page-reload';
import { OriginalFile } from '../diff/original-file';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewsContribution } from './reviews-contribution';
import { UnsentTexts } from './unsent-texts';

describe('The reviews of a page and what is around them', () => {
    let contribution: ReviewsContribution;
    let reviews: PageReviews;
    let state: { sequence: number; reviews: ReviewInfo[] } | undefined;
    let layout: Deferred;
    let opened: string[];
    /** Ids of those that the backend knows were seen. */
    let shown: string[];
    let saved: ReviewSave[];
    let earlier: ReviewSave[];
    let hasOthers: boolean;
    let isReload: boolean;
    let refused: string[];
    let open: string;
    let restarted: number;
    const onDidChangeState = new Emitter<void>();
    const onDidCloseEditor = new Emitter<void>();

    beforeEach(() => {
        [isReload, refused] = [false, []];
        window.sessionStorage.clear();
        [opened, shown, saved, earlier] = [[], [], [], []];
        [hasOthers, open, restarted, state] = [false, 'reveal', 0, undefined];
        load();
    });

    afterEach(() => {
        contribution.onStop();
        window.sessionStorage.clear();
    });

    /** Loads the page. */
    function load(): void {
        layout = new Deferred();
        reviews = new PageReviews({
            page: 'page',
            clock: new ModelClock(),
            calls: { call: (_, { make }) => void make(), hasLeft: () => true, drop: () => undefined },
            backend: {
                readReview: async () => undefined,
                saveReview: async save => void saved.push(save),
                acceptReview: async () => ({ result: 'done' }),
                rejectReview: async () => ({ result: 'done' }),
                closeReview: async () => ({ result: 'done' })
            },
            views: () => ({
                open: ({ id }) => opened.push(id),
                close: () => undefined,
                paint: () => undefined,
                readLeft: () => undefined,
                isOnScreen: () => true
            }),
            store: { write: () => new Set(refused) },
            onTabClose: () => 'reject',
            opensByItself: () => open !== 'never'
        });
        const services = new FakeServices();
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            calls: { call: (_: string, { make }: { make: () => Promise<void> }) => void make() },
            get state() {
                return state;
            }
        });
        services.bind(ReviewBackend, { markShown: async (id: string) => void shown.push(id) });
        services.bind(PageReviews, reviews);
        services.bind(PageReload, {
            get isChosen() {
                return isReload;
            }
        });
        services.bind(UnsentTexts, {
            takeEarlier: () => earlier.splice(0),
            get hasOthers() {
                return hasOthers;
            }
        });
        services.bind(ReviewEditors, {
            onDidCloseEditor: onDidCloseEditor.event,
            onDidChangeVisibility: Event.None,
            leave: () => undefined
        });
        services.bind(AnswerGuard, { restart: () => restarted++ });
        services.bind(ApplicationShell, {
            onDidChangeActiveWidget: Event.None,
            onDidChangeCurrentWidget: Event.None,
            onDidToggleMaximized: Event.None
        });
        services.bind(CompanionPreferences, {
            get 'companion.review.open'() {
                return open;
            }
        });
        services.bind(FrontendApplicationStateService, { reachedState: () => layout.promise });
        contribution = services.create(ReviewsContribution);
        contribution.onStart();
    }

    async function restoreLayout(): Promise<void> {
        layout.resolve();
        await settle();
    }

    function receive(sequence: number, ...ids: string[]): void {
        state = { sequence, reviews: ids.map(id => reviewInfo(id)) };
        onDidChangeState.fire();
    }

    function type(id: string): void {
        reviews.type(id, { text: 'typed', length: 5, isEdited: true });
    }

    /** The user leaves the page. @returns whether the browser asks first */
    function leave(): boolean {
        const event = new window.Event('beforeunload', { cancelable: true });
        window.dispatchEvent(event);
        return event.defaultPrevented;
    }

    it('tell the backend that they were seen, when they come onto the screen with the file beside them', async () => {
        await restoreLayout();
        receive(1, 'a');
        reviews.markOpened('a', PROPOSAL);
        expect(shown).to.deep.equal([]);
        reviews.showLeft('a', { text: '', encoding: 'utf8' } as OriginalFile);
        expect(shown).to.deep.equal(['a']);
    });

    it('open when the layout is restored, which may open them by itself', async () => {
        receive(1, 'a');
        expect(opened).to.deep.equal([]);
        await restoreLayout();
        expect(opened).to.deep.equal(['a']);
    });

    it('a state that was received before brings no answered proposal back', async () => {
        await restoreLayout();
        receive(1, 'a');
        reviews.reject(reviews.get('a')!);
        expect(reviews.waiting).to.deep.equal([]);
        onDidChangeState.fire();
        expect(reviews.waiting).to.deep.equal([]);
    });

    it('the CLI hears that its proposal is shown when its editor is open', async () => {
        await restoreLayout();
        let result: unknown;
        void contribution.showReview(reviewInfo('a'), 'proposed').then(shown => (result = shown));
        await settle();
        expect(opened).to.deep.equal(['a']);
        expect(result).to.equal(undefined);
        reviews.markOpened('a', PROPOSAL);
        await settle();
        expect(result).to.deep.equal({ shown: true });
    });

    it('the CLI hears why its proposal could not be shown', async () => {
        await restoreLayout();
        const shown = contribution.showReview(reviewInfo('a'), 'proposed');
        await settle();
        reviews.markFailed('a', 'No editor.');
        expect(await shown).to.deep.equal({ shown: false, reason: 'No editor.' });
    });

    it('the CLI hears that its proposal was answered before it was shown', async () => {
        await restoreLayout();
        const shown = contribution.showReview(reviewInfo('a'), 'proposed');
        await settle();
        receive(1);
        expect(await shown).to.deep.equal({ shown: false, reason: 'This proposal was already answered.' });
    });

    it('a proposal that has ended while the layout was restored does not open', async () => {
        receive(1);
        const shown = contribution.showReview(reviewInfo('a'), 'proposed');
        receive(2);
        await restoreLayout();
        expect(await shown).to.deep.equal({ shown: false, reason: 'This proposal was already answered.' });
        expect(opened).to.deep.equal([]);
    });

    it('opens nothing if the user wants to be asked in the terminal', async () => {
        open = 'never';
        await restoreLayout();
        expect(await contribution.showReview(reviewInfo('a'), 'proposed')).to.deep.equal({ shown: true });
        expect(opened).to.deep.equal([]);
        expect(reviews.waiting.map(({ id }) => id)).to.deep.equal(['a']);
    });

    it('texts that an earlier load of the page could not send are sent before the state is received', async () => {
        await restoreLayout();
        const about = { reviewId: 'a', uri: 'file:///ws/a', cliName: 'Qwen Code' };
        earlier = [{ about, revision: { page: 'earlier', n: 3 }, base: [], text: 'typed before' }];
        receive(1, 'a');
        expect(saved.map(({ text }) => text)).to.deep.equal(['typed before']);
        expect(reviews.get('a')?.text.text).to.equal('typed before');
    });

    it('the browser asks before a text is lost that the backend does not have, or that another backend is to get', async () => {
        await restoreLayout();
        receive(1, 'a');
        reviews.markOpened('a', PROPOSAL);
        expect(leave()).to.equal(false);
        type('a');
        expect(leave()).to.equal(true);
        reviews.get('a')?.text.confirm(saved[0].revision);
        expect(leave()).to.equal(false);
        hasOthers = true;
        expect(leave()).to.equal(true);
    });

    it('the browser does not ask again about a reload that the user has chosen, unless the tab does not have what was typed', async () => {
        await restoreLayout();
        receive(1, 'a');
        reviews.markOpened('a', PROPOSAL);
        type('a');
        hasOthers = true;
        isReload = true;
        expect(leave()).to.equal(false);
        refused = ['a'];
        type('a');
        expect(leave()).to.equal(true);
    });

    it('an answer that is under way is lost by a reload, too', async () => {
        await restoreLayout();
        receive(1, 'a');
        isReload = true;
        reviews.reject(reviews.get('a')!);
        expect(leave()).to.equal(true);
    });

    it('a page that goes into the background sends what was typed', async () => {
        await restoreLayout();
        receive(1, 'a');
        reviews.markOpened('a', PROPOSAL);
        type('a');
        expect(saved).to.deep.equal([]);
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        document.dispatchEvent(new window.Event('visibilitychange'));
        Reflect.deleteProperty(document, 'visibilityState');
        expect(saved.map(({ text }) => text)).to.deep.equal(['typed']);
    });

    it('no key answers when an editor has just closed', async () => {
        await restoreLayout();
        receive(1, 'a', 'b');
        onDidCloseEditor.fire();
        expect(restarted).to.equal(1);
    });

    it('nothing is heard once the page has ended', async () => {
        await restoreLayout();
        contribution.onStop();
        receive(1, 'a');
        expect(opened).to.deep.equal([]);
        hasOthers = true;
        expect(leave()).to.equal(false);
    });
});
