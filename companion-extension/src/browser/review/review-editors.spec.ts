// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, MAXIMIZED_CLASS, Widget } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { expect } from 'chai';
import { DiffEditor } from '../diff/diff-editor';
import { DiffEditors } from '../diff/diff-editors';
import { CompanionPreferences } from '../../common/companion-preferences';
import { PROPOSAL } from '../../common/revision';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { pageReview } from '../test/page-review';
import { CompanionConnection } from '../window/companion-connection';
import { OwnReview, PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewUris } from './review-uris';

describe('The editors of reviews', () => {
    let editors: ReviewEditors;
    let a: OwnReview;
    let b: OwnReview;
    let onCreated: Emitter<EditorWidget>;
    let preference: string;
    let isTyping: boolean;
    let isConnected: boolean;
    /** Until it settles, Theia makes no editor. */
    let making: Promise<unknown>;
    /** What the user sees in the main area. */
    let front: Widget | undefined;
    let active: Widget | undefined;
    let added: ApplicationShell.WidgetOptions[];
    let events: string[];
    let main: Widget;
    let bottom: Widget;

    beforeEach(() => {
        document.body.replaceChildren();
        Object.assign(document, { elementsFromPoint: () => (front ? [front.node] : []) });
        Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
        [a, b] = [pageReview('a.txt'), pageReview('b.txt')];
        [preference, isTyping, isConnected, making] = ['reveal', false, true, Promise.resolve()];
        [front, active, added, events] = [undefined, undefined, [], []];
        onCreated = new Emitter();
        [main, bottom] = [new Widget(), new Widget()];
        Widget.attach(main, document.body);
        Widget.attach(bottom, document.body);
        const services = new FakeServices();
        services.bind(DiffEditors, {
            create: (widget: EditorWidget) => new DiffEditor(widget, { contributions: [], keysOf: () => [], run: () => undefined })
        });
        services.bind(EditorManager, {
            onCreated: onCreated.event,
            all: [],
            createByUri: async (uri: URI) => {
                await making;
                const review = uri.query.includes(ReviewUris.uriOfProposal(a.info!).authority) ? a : b;
                return create(review);
            }
        });
        services.bind(ApplicationShell, {
            mainPanel: main,
            bottomPanel: bottom,
            mainAreaTabBars: [],
            get activeWidget() {
                return active;
            },
            getAreaFor: (widget: Widget) => (widget === bottom ? 'bottom' : 'main'),
            addWidget: async (widget: Widget, options: ApplicationShell.WidgetOptions) => {
                added.push(options);
                Widget.attach(widget, main.node);
            },
            revealWidget: async (id: string) => {
                front = [a, b].flatMap(review => editors.widgetsOf(review.id)).find(widget => widget.id === id);
                events.push(`reveal ${front ? nameOf(front) : id}`);
            },
            doToggleMaximized: (panel: Widget) => {
                panel.removeClass(MAXIMIZED_CLASS);
                // As Theia takes it out of the page for a moment.
                panel.node.querySelector('input')?.blur();
            }
        });
        services.bind(PageReviews, {
            markOpened: (id: string) => events.push(`opened ${id}`),
            markClosed: (id: string, byPerson: boolean) => events.push(`closed ${id} ${byPerson ? 'by the user' : ''}`.trim()),
            markFailed: (id: string, reason?: string) => events.push(`failed ${id}: ${reason}`)
        });
        services.bind(ReviewFocus, {
            get isTyping() {
                return isTyping;
            },
            activate: async (widget: Widget) => void events.push(`activate ${nameOf(widget)}`),
            keep: async (id: string, moves: boolean, close: () => Promise<void>) => {
                events.push(`close ${id}, the keyboard ${moves ? 'goes on' : 'stays'}`);
                await close();
            }
        });
        services.bind(CompanionConnection, {
            get connected() {
                return isConnected;
            }
        });
        services.bind(CompanionPreferences, {
            get 'companion.review.open'() {
                return preference;
            }
        });
        services.bindNamed(ILogger, 'companion:ReviewEditors', { error: (text: string) => events.push(text) });
        editors = services.create(ReviewEditors);
        editors.onDidOpen(({ id }) => events.push(`shown ${id}`));
        editors.onDidOpenBehind(({ id }) => events.push(`behind ${id}`));
    });

    function create(review: PageReview): EditorWidget {
        const widget = editorWidget(ReviewUris.uriOfProposal(review.info!));
        widget.id = `${review.id} ${editors.widgetsOf(review.id).length}`;
        onCreated.fire(widget);
        return widget;
    }

    function nameOf(widget: Widget): string | undefined {
        return [a, b].find(({ id }) => editors.widgetsOf(id).some(known => known === widget))?.id;
    }

    async function settle(): Promise<void> {
        // An editor counts as painted after three frames.
        for (let frame = 0; frame < 8; frame++) {
            await new Promise(resolve => setTimeout(resolve));
        }
    }

    it('a proposal that arrives opens in front, without the keyboard', async () => {
        editors.open(a);
        await settle();
        expect(events).to.deep.equal(['reveal a.txt', 'shown a.txt']);
        expect(editors.onScreen).to.deep.equal(['a.txt']);
        expect(added).to.deep.equal([{ area: 'main' }]);
    });

    for (const [why, set] of [
        ['while the user types', () => (isTyping = true)],
        ['with the preference for the background', () => (preference = 'background')],
        ['while a terminal is maximized', () => bottom.addClass(MAXIMIZED_CLASS)]
    ] as const) {
        it(`a proposal that arrives opens behind ${why}, and says so`, async () => {
            set();
            editors.open(a);
            await settle();
            expect(events).to.deep.equal(['shown a.txt', 'behind a.txt']);
            expect(editors.widgetsOf('a.txt')).to.have.length(1);
        });
    }

    it('a proposal opens behind if the user begins to type while its editor is made', async () => {
        const made = new Deferred<void>();
        making = made.promise;
        editors.open(a);
        isTyping = true;
        made.resolve();
        await settle();
        expect(events).to.deep.equal(['shown a.txt', 'behind a.txt']);
    });

    it('of several proposals the first comes to the front, and the others open behind it without a word', async () => {
        editors.open(a);
        editors.open(b);
        await settle();
        expect(events).to.deep.equal(['reveal a.txt', 'shown a.txt', 'shown b.txt']);
        expect(editors.onScreen).to.deep.equal(['a.txt']);
    });

    it('a proposal comes to the front after one that could not be shown', async () => {
        making = Promise.reject(new Error('The file is gone'));
        editors.open(a);
        making = Promise.resolve();
        editors.open(b);
        await settle();
        expect(events).to.deep.equal(['failed a.txt: The file is gone', 'reveal b.txt', 'shown b.txt']);
    });

    it('a proposal that is asked for twice while its editor is made gets one editor', async () => {
        isTyping = true;
        editors.open(a);
        await editors.reveal(a);
        await settle();
        expect(editors.widgetsOf('a.txt')).to.have.length(1);
        expect(editors.onScreen).to.deep.equal(['a.txt']);
    });

    it('a proposal whose editor cannot be made is refused with the reason, but not for want of a connection or a text', async () => {
        making = Promise.reject(new Error('No room'));
        expect(await editors.reveal(a)).to.equal(false);
        isConnected = false;
        expect(await editors.reveal(a)).to.equal(false);
        isConnected = true;
        a.readers.push(() => undefined);
        expect(await editors.reveal(a)).to.equal(false);
        expect(events).to.deep.equal(['failed a.txt: No room', 'failed a.txt: undefined', 'failed a.txt: undefined']);
    });

    it('a user who asks for a proposal gets it in front and with the keyboard, also when it was behind', async () => {
        isTyping = true;
        editors.open(a);
        await settle();
        events = [];
        await editors.activate(a);
        expect(events).to.deep.equal(['reveal a.txt', 'activate a.txt']);
    });

    it('a maximized terminal makes room for a proposal that the user asks for, and keeps the keyboard', async () => {
        const input = bottom.node.appendChild(document.createElement('input'));
        input.focus();
        bottom.addClass(MAXIMIZED_CLASS);
        await editors.reveal(a);
        expect([bottom.hasClass(MAXIMIZED_CLASS), document.activeElement]).to.deep.equal([false, input]);
    });

    it('a proposal leaves alone what the user types in in the main area', () => {
        active = new Widget();
        const input = active.node.appendChild(document.createElement('textarea'));
        Widget.attach(active, main.node);
        expect(editors.place()).to.deep.equal({ area: 'main' });
        input.focus();
        expect(editors.place()).to.deep.equal({ area: 'main', mode: 'split-left', ref: active });
        active = bottom;
        expect(editors.place()).to.deep.equal({ area: 'main' });
    });

    it('a proposal is decided by its last editor that is closed, and by none when the page is left', async () => {
        const widgets = [create(a), create(a)];
        const other = create(b);
        widgets[0].dispose();
        expect(events).to.deep.equal([]);
        widgets[1].dispose();
        expect(events).to.deep.equal(['closed a.txt by the user']);
        editors.leave();
        other.dispose();
        expect(events).to.have.length(1);
        expect(editors.widgetsOf('b.txt')).to.deep.equal([]);
    });

    it('a tab that the layout restored has its name in the language of now', async () => {
        await editors.reveal(a);
        const [{ title }] = editors.widgetsOf(a.id);
        title.label = 'a.txt（由 Qwen Code 提出）';
        editors.paint(a);
        expect(title.label).to.match(/^a\.txt \(proposed by /);
    });

    it('the editors of a review that has ended are closed; the keyboard goes on only after an answer that was given here', async () => {
        const widgets = [create(a), create(a), create(b)];
        a.answer = { kind: 'accept', shown: { revision: PROPOSAL }, result: { result: 'done' } };
        editors.close(a);
        editors.close(b);
        await settle();
        expect(events.filter(event => event.startsWith('close '))).to.deep.equal([
            'close a.txt, the keyboard goes on',
            'close b.txt, the keyboard stays'
        ]);
        expect(widgets.map(({ isDisposed }) => isDisposed)).to.deep.equal([true, true, true]);
    });

    it('the keyboard goes to nothing where the user has typed on after the answer', async () => {
        create(a);
        a.answer = { kind: 'accept', shown: { revision: PROPOSAL }, result: { result: 'done' } };
        a.text.load({ review: a.info!, proposal: 'proposed\n', text: 'typed on\n' });
        editors.close(a);
        await settle();
        expect(events).to.include('close a.txt, the keyboard stays');
    });

    it('an editor of something else is left alone', () => {
        const widget = editorWidget(new URI('file:///ws/a.txt'));
        onCreated.fire(widget);
        widget.dispose();
        expect([editors.editorOf(widget), events]).to.deep.equal([undefined, []]);
    });
});
