// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, CommonCommands, TabBar, Title, Widget } from '@theia/core/lib/browser';
import { TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { MenuAction, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { expect } from 'chai';
import { ReviewInfo } from '../../common/companion-protocol';

import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { reviewInfo } from '../test/review-info';
import { AnswerGuard } from '../window/answer-guard';
import { StatusList } from '../window/status-list';
import { ReviewCommands } from './review-commands';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewUris } from './review-uris';
import { WaitingReviews } from './waiting-reviews';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { REVIEW_COMMANDS } from './review-command-ids';

const { ACCEPT_REVIEW, REJECT_REVIEW } = SHARED_COMMANDS;
const { ANSWER_REVIEW, OPEN_REVIEW, NEXT_REVIEW, NEXT_CHANGE, PREVIOUS_CHANGE, REVERT_CHANGE, TOGGLE_LAYOUT } = REVIEW_COMMANDS;

type ToolbarItem = Parameters<TabBarToolbarRegistry['registerItem']>[0];

describe('Commands and keys of the reviews', () => {
    let commands: ReviewCommands;
    let registered: FakeRegistries;
    /** What happened, in order. */
    let happened: string[];
    let isWaiting: boolean;
    let meant: ReviewInfo | undefined;
    let active: string | undefined;
    let isInField: boolean;
    let list: Partial<StatusList>;
    let takesClick: boolean;
    let takesAnswer: boolean;
    let inFront: Widget | undefined;
    let tabs: TabBar<Widget> | undefined;

    beforeEach(() => {
        happened = [];
        [isWaiting, takesClick, takesAnswer, isInField] = [true, true, true, false];
        [meant, active, inFront, tabs] = [undefined, undefined, undefined, undefined];
        list = { isOpen: false, hide: () => happened.push('hide') };
        const services = new FakeServices();
        services.bind(ReviewFocus, {
            get active() {
                return active;
            },
            get isInField() {
                return isInField;
            }
        });
        services.bind(StatusList, list);
        services.bind(AnswerGuard, { takesAnswer: () => takesAnswer });
        services.bind(ReviewEditors, {
            editorOf: (widget?: EditorWidget) =>
                widget && {
                    goToChange: (target: string) => happened.push(`${target} change in ${widget.id}`),
                    revertChange: () => happened.push(`revert in ${widget.id}`)
                },
            toggleSideBySide: () => happened.push('layout')
        });
        services.bind(WaitingReviews, {
            get any() {
                return isWaiting;
            },
            get widgetInFront() {
                return inFront;
            },
            meant: async (widget?: unknown) => {
                const named = ReviewUris.shownIn(widget);
                return named === undefined ? meant : takesClick ? reviewInfo(named) : undefined;
            },
            answer: ({ id }: ReviewInfo, kind: string) => happened.push(`${kind} ${id}`),
            accept: async ({ id }: ReviewInfo) => void happened.push(`accept if seen ${id}`),
            open: async ({ id }: ReviewInfo) => void happened.push(`open ${id}`),
            activateNext: async () => void happened.push('next')
        });
        services.bind(ReviewMessages, { noCopy: () => happened.push('no copy') });
        services.bind(ApplicationShell, {
            findTabBar: () => tabs,
            closeTabs: async (bar: TabBar<Widget>, isClosed: (title: Title<Widget>) => boolean) =>
                void happened.push(...bar.titles.filter(isClosed).map(({ owner }) => `closed ${owner.id}`))
        });
        commands = services.create(ReviewCommands);
        registered = new FakeRegistries();
        commands.registerCommands(registered.commands);
        commands.registerKeybindings(registered.keybindings);
    });

    function diffOf(id: string): EditorWidget {
        const widget = editorWidget(ReviewUris.uriOfProposal(reviewInfo(id)));
        widget.id = `diff of ${id}`;
        return widget;
    }

    it('each key runs its command where it means a proposal, and nowhere else', () => {
        const focused = '(editorTextFocus || (isInDiffEditor && !editorFocus)) && companionReviewActive';
        expect(registered.keys).to.deep.equal([
            `ctrlcmd+enter: companion.review.accept (${focused})`,
            `ctrlcmd+alt+backspace: companion.review.reject (${focused} && !companionAltGraph)`,
            `alt+f5: companion.review.nextChange (${focused})`,
            `shift+alt+f5: companion.review.previousChange (${focused})`,
            `f7: companion.review.openAccessibleViewer (${focused})`,
            'ctrlcmd+enter: companion.review.accept (companionReviewsListed)',
            'ctrlcmd+alt+backspace: companion.review.reject (companionReviewsListed && !companionAltGraph)',
            'ctrl+shift+f7: companion.review.reject (companionReviewsWaiting)',
            'ctrl+shift+f4: companion.review.rejectWithReason (companionReviewsWaiting)',
            'ctrl+shift+f8: companion.review.next (companionReviewsWaiting)',
            'ctrl+shift+f9: companion.review.accept (companionReviewsWaiting)',
            'ctrl+shift+f6: companion.review.nextChange (companionReviewsWaiting)',
            'ctrl+shift+f5: companion.review.previousChange (companionReviewsWaiting && !inDebugMode)',
            'esc: passthrough (terminalFocus && notificationsVisible && !terminalHideSearch && !inQuickOpen)'
        ]);
    });

    it('a key or the palette answers the review that is meant, or none', async () => {
        await registered.execute(ACCEPT_REVIEW.id);
        expect(happened).to.deep.equal([]);
        meant = reviewInfo('a');
        await registered.execute(ACCEPT_REVIEW.id);
        await registered.execute(REJECT_REVIEW.id);
        expect(happened).to.deep.equal(['accept a', 'reject a']);
    });

    it('a button of a diff answers its own review, unless the diff has just appeared', async () => {
        meant = reviewInfo('a');
        await registered.execute(ACCEPT_REVIEW.id, diffOf('b'));
        expect(happened).to.deep.equal(['accept b']);
        takesClick = false;
        await registered.execute(REJECT_REVIEW.id, diffOf('b'));
        expect(happened).to.deep.equal(['accept b']);
    });

    it('a row of the list opens its review, accepts it if it was seen, or rejects it', async () => {
        await registered.execute(OPEN_REVIEW.id, reviewInfo('c'));
        await registered.execute(ANSWER_REVIEW.id, reviewInfo('c'), 'accept');
        await registered.execute(ANSWER_REVIEW.id, reviewInfo('c'), 'reject');
        expect(happened).to.deep.equal(['open c', 'accept if seen c', 'reject c']);
    });

    it('while the list is open, a key closes it and answers what is highlighted: it accepts only what was seen', async () => {
        meant = reviewInfo('a');
        Object.assign(list, { isOpen: true, activeReview: reviewInfo('c') });
        await registered.execute(ACCEPT_REVIEW.id);
        await registered.execute(REJECT_REVIEW.id);
        await registered.execute(REJECT_REVIEW.id, diffOf('b'));
        expect(happened).to.deep.equal(['hide', 'accept if seen c', 'hide', 'reject c', 'reject b']);
    });

    it('while the list is open, a key answers nothing if no row is highlighted, or something has just moved', async () => {
        meant = reviewInfo('a');
        Object.assign(list, { isOpen: true, activeReview: undefined });
        await registered.execute(ACCEPT_REVIEW.id);
        Object.assign(list, { isOpen: true, activeReview: reviewInfo('c') });
        takesAnswer = false;
        await registered.execute(ACCEPT_REVIEW.id);
        expect(happened).to.deep.equal([]);
    });

    it('an answer is offered while a proposal waits, and on each diff', () => {
        expect(registered.isEnabled(ACCEPT_REVIEW.id)).to.equal(true);
        isWaiting = false;
        expect(registered.isEnabled(ACCEPT_REVIEW.id)).to.equal(false);
        expect(registered.isEnabled(REJECT_REVIEW.id, diffOf('a'))).to.equal(true);
        expect(registered.isEnabled(REJECT_REVIEW.id, editorWidget(new URI('file:///ws/a')))).to.equal(false);
    });

    it('Save accepts a review only while it has the keyboard, and Save As explains', async () => {
        expect(registered.isEnabled(CommonCommands.SAVE.id)).to.equal(false);
        expect(registered.isEnabled(CommonCommands.SAVE_AS.id)).to.equal(false);
        active = 'a';
        meant = reviewInfo('a');
        expect(registered.isEnabled(CommonCommands.SAVE.id)).to.equal(true);
        expect(registered.isEnabled(CommonCommands.SAVE_AS.id)).to.equal(true);
        await registered.execute(CommonCommands.SAVE.id);
        await registered.execute(CommonCommands.SAVE_AS.id);
        expect(happened).to.deep.equal(['accept a', 'no copy']);
        isInField = true;
        expect(registered.isEnabled(CommonCommands.SAVE.id), 'while a comment is typed').to.equal(false);
    });

    it('Close Saved closes saved files and leaves reviews and unsaved files alone', async () => {
        const [saved, unsaved, pinned] = ['saved', 'unsaved', 'pinned'].map(id => {
            const document = { dirty: id === 'unsaved', onDirtyChanged: () => undefined };
            const widget = editorWidget(new URI(`file:///ws/${id}`), { document: document as never });
            widget.id = id;
            return widget;
        });
        const titles = [saved, unsaved, pinned].map(owner => ({ owner, closable: owner !== pinned }));
        tabs = { titles } as unknown as TabBar<Widget>;
        expect(registered.isEnabled(CommonCommands.CLOSE_SAVED_TABS.id), 'Theia’s own command').to.equal(false);
        titles.push({ owner: diffOf('a'), closable: true });
        expect(registered.isEnabled(CommonCommands.CLOSE_SAVED_TABS.id)).to.equal(true);
        await registered.execute(CommonCommands.CLOSE_SAVED_TABS.id);
        expect(happened).to.deep.equal(['closed saved']);
    });

    it('commands for changes act in the diff of their toolbar, else in the one in front', async () => {
        expect(registered.isEnabled(NEXT_CHANGE.id)).to.equal(false);
        inFront = diffOf('a');
        await registered.execute(NEXT_CHANGE.id);
        await registered.execute(PREVIOUS_CHANGE.id, diffOf('b'));
        await registered.execute(REVERT_CHANGE.id, editorWidget(new URI('file:///ws/c')));
        await registered.execute(TOGGLE_LAYOUT.id);
        await registered.execute(NEXT_REVIEW.id);
        expect(happened).to.deep.equal([
            'next change in diff of a',
            'previous change in diff of b',
            'revert in diff of a',
            'layout',
            'next'
        ]);
    });

    it('the toolbar of a diff has no answers, which are above the text, and its menu has all', () => {
        const items: ToolbarItem[] = [];
        const toolbar = { registerItem: (item: ToolbarItem) => items.push(item) };
        commands.registerToolbarItems(toolbar as unknown as TabBarToolbarRegistry);
        expect(items.map(({ id }) => id)).to.deep.equal([PREVIOUS_CHANGE.id, NEXT_CHANGE.id, TOGGLE_LAYOUT.id]);
        const isVisible = ({ isVisible: visible }: ToolbarItem, widget: Widget): unknown => visible?.(widget);
        expect(items.every(item => isVisible(item, diffOf('a')))).to.equal(true);
        expect(items.some(item => isVisible(item, editorWidget(new URI('file:///ws/a'))))).to.equal(false);
        const actions: MenuAction[] = [];
        const menus = { registerMenuAction: (_: unknown, action: MenuAction) => actions.push(action) };
        commands.registerMenus(menus as unknown as MenuModelRegistry);
        expect(actions).to.have.length(7);
        expect(actions.map(({ when }) => when).every(when => when === 'companionReviewActive')).to.equal(true);
    });
});
