// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, BaseWidget, TreeWidget, Widget } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { AnswerGuard } from '../window/answer-guard';
import { KeyboardHold } from '../window/keyboard-hold';
import { REVIEW_ACTIVE_KEY, ReviewFocus } from './review-focus';
import { ReviewUris } from './review-uris';

describe('The keyboard around a review', () => {
    let focus: ReviewFocus;
    let active: Widget | undefined;
    let keys: Map<string, unknown>;
    let restarted: number;
    /** As of a widget that takes no focus: Theia waits for it. */
    let neverSettles: boolean;
    let terminal: Widget;
    let review: Widget;
    /** The file's editor, under the review. */
    let file: Widget;
    let widgets: Widget[];
    const onDidChangeActiveWidget = new Emitter<void>();

    beforeEach(() => {
        active = undefined;
        keys = new Map();
        restarted = 0;
        neverSettles = false;
        terminal = attach(Object.setPrototypeOf(new BaseWidget(), TerminalWidget.prototype) as Widget);
        terminal.node.classList.add('xterm');
        review = attach(editorWidget(ReviewUris.uriOfProposal(reviewInfo('a.ts'))));
        file = attach(editorWidget(new URI('file:///ws/a.ts')));
        file.node.classList.add('monaco-editor');
        file.node.setAttribute('data-uri', 'file:///ws/a.ts');
        widgets = [terminal, review, file];
        const services = new FakeServices();
        services.bind(ApplicationShell, {
            onDidChangeActiveWidget: onDidChangeActiveWidget.event,
            node: document.body,
            get widgets() {
                return widgets;
            },
            get activeWidget() {
                return active;
            },
            get currentWidget() {
                return active;
            },
            activateWidget: async (id: string) => {
                activate(widgets.find(widget => widget.id === id));
                if (neverSettles) {
                    await new Promise(() => undefined);
                }
            }
        });
        services.bind(ContextKeyService, {
            createKey: (name: string, value: unknown) => {
                keys.set(name, value);
                return { set: (changed: unknown) => keys.set(name, changed) };
            }
        });
        services.bind(AnswerGuard, { restart: () => restarted++ });
        services.bindReal(KeyboardHold);
        focus = services.create(ReviewFocus);
    });

    afterEach(() => {
        focus.dispose();
        document.body.replaceChildren();
    });

    let count = 0;
    function attach(widget: Widget): Widget {
        widget.id = `widget-${++count}`;
        widget.node.tabIndex = -1;
        Widget.attach(widget, document.body);
        return widget;
    }

    function activate(widget: Widget | undefined): void {
        active = widget;
        widget?.node.focus();
        onDidChangeActiveWidget.fire();
    }

    function click({ node }: Widget): void {
        node.dispatchEvent(new window.MouseEvent('pointerdown', { bubbles: true }));
        node.focus();
    }

    function input(parent: Element, attributes: Record<string, string> = {}): HTMLElement {
        const element = document.createElement('textarea');
        Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
        parent.append(element);
        return element;
    }

    it('a review that has it is known, also to the conditions of keys', () => {
        activate(terminal);
        expect([focus.active, keys.get(REVIEW_ACTIVE_KEY)]).to.deep.equal([undefined, false]);
        activate(review);
        expect([focus.active, keys.get(REVIEW_ACTIVE_KEY)]).to.deep.equal(['a.ts', true]);
        activate(file);
        expect([focus.active, keys.get(REVIEW_ACTIVE_KEY)]).to.deep.equal([undefined, false]);
    });

    it('a menu takes it from no review', () => {
        activate(review);
        active = undefined;
        expect(focus.active).to.equal(undefined);
        const menu = document.createElement('div');
        menu.className = 'lm-Menu';
        document.body.append(menu);
        input(menu).focus();
        expect(focus.active).to.equal('a.ts');
    });

    it('goes back after an answer to what had it before, and the editor under the tab does not get it', async () => {
        activate(terminal);
        activate(review);
        await focus.keep('a.ts', true, async () => file.node.focus());
        expect(document.activeElement).to.equal(terminal.node);
        expect(active).to.equal(terminal);
        expect(restarted).to.equal(1);
    });

    it('goes to the next proposal if no terminal had it; after the last one, to the editor that had it, or the file', async () => {
        const next = attach(editorWidget(ReviewUris.uriOfProposal(reviewInfo('b.ts'))));
        const other = attach(editorWidget(new URI('file:///ws/other.ts')));
        widgets.push(next, other);
        activate(other);
        activate(review);
        await focus.keep('a.ts', true, async () => undefined);
        expect(active).to.equal(next);
        widgets = [terminal, review, file, other];
        activate(review);
        await focus.keep('a.ts', true, async () => undefined);
        expect(active).to.equal(other);
        other.hide();
        activate(review);
        await focus.keep('a.ts', true, async () => undefined);
        expect(active, 'what is hidden stays hidden').to.equal(file);
    });

    it('goes into no list in which a key undoes files', async () => {
        const list = attach(Object.setPrototypeOf(new BaseWidget(), TreeWidget.prototype) as Widget);
        widgets.push(list);
        activate(list);
        activate(review);
        await focus.keep('a.ts', true, async () => undefined);
        expect(active).to.equal(file);
    });

    it('goes back at once, however long Theia takes to say so', async () => {
        activate(terminal);
        activate(review);
        neverSettles = true;
        let isClosed = false;
        await focus.keep('a.ts', true, async () => void (isClosed = true));
        expect([isClosed, document.activeElement]).to.deep.equal([true, terminal.node]);
    });

    it('is in nothing after the CLI has ended the review that the user types in', async () => {
        activate(terminal);
        activate(review);
        await focus.keep('a.ts', false, async () => file.node.focus());
        expect(document.activeElement).to.equal(document.body);
    });

    it('stays where it is if the review does not have it, whoever decides', async () => {
        for (const decidedHere of [true, false]) {
            activate(terminal);
            await focus.keep('a.ts', decidedHere, async () => file.node.focus());
            expect(document.activeElement).to.equal(terminal.node);
        }
    });

    it('follows the user who asks for another review while one closes', async () => {
        activate(terminal);
        activate(review);
        const next = attach(editorWidget(ReviewUris.uriOfProposal(reviewInfo('b.ts'))));
        widgets.push(next);
        await focus.keep('a.ts', true, () => focus.activate(next));
        expect(document.activeElement).to.equal(next.node);
    });

    it('follows the user who clicks elsewhere while a review closes', async () => {
        activate(terminal);
        activate(review);
        await focus.keep('a.ts', true, async () => click(file));
        expect(document.activeElement).to.equal(file.node);
    });

    it('is free again when the review has closed, also after a failure', async () => {
        activate(terminal);
        await focus
            .keep('a.ts', true, async () => {
                throw new Error('not closed');
            })
            .catch(() => undefined);
        file.node.focus();
        expect(document.activeElement).to.equal(file.node);
        expect(restarted).to.equal(1);
    });

    it('is in a field while the user types a comment into a review, and not in its text', () => {
        activate(review);
        input(review.node, { class: 'inputarea' }).focus();
        expect(focus.isInField).to.equal(false);
        input(review.node).focus();
        expect(focus.isInField).to.equal(true);
        activate(file);
        input(file.node).focus();
        expect(focus.isInField).to.equal(false);
    });

    it('is in a text of the page while the user types there; a terminal does not count', () => {
        expect(focus.isTyping).to.equal(false);
        input(document.body).focus();
        expect(focus.isTyping).to.equal(true);
        input(terminal.node).focus();
        expect(focus.isTyping).to.equal(false);
        file.node.focus();
        expect(focus.isTyping).to.equal(false);
    });
});
