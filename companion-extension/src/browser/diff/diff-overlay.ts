// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import * as monaco from '@theia/monaco-editor-core';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { joinSentences } from '../../common/sentences';
import { BarContent, BarHost, DiffBar } from './diff-bar';

/** The button that Monaco shows instead of the arrow; the style sheet draws it as one. */
const INSTEAD_OF_ARROW = '.gutterItem .codicon-toolbar-more';
const ARROW_EVENTS = ['mousedown', 'mouseup', 'click', 'keydown', 'mouseover', 'focusin'] as const;

/** Monaco's own name for the arrow that takes back one change. All of our texts use it, too. */
export function revertName(): string {
    return nls.localizeByDefault('Revert Block');
}

/** @property actions what the user can do about it, as buttons */
export interface Notice {
    text: string;
    actions?: ReadonlyArray<{ label: string; isMain?: boolean; run(): void }>;
}

/**
 * What we add to a diff editor: above it a bar and notices, and the arrow that takes back a change in line 1. What is above stays in sight
 * while the text scrolls, and covers none of it. Monaco's view zones do neither: they scroll away, vanish with the model of a hidden editor, and are hidden
 * from screen readers.
 */
export class DiffOverlay implements Disposable {
    /** Everything above the text. */
    protected readonly head: HTMLElement;
    protected readonly bar: DiffBar;
    protected readonly notices: HTMLElement;
    protected readonly list: HTMLUListElement;
    /** Shows all notices, or only the most important one. */
    protected readonly more: HTMLButtonElement;
    protected readonly items = new Map<string, HTMLLIElement>();
    protected readonly toDispose = new DisposableCollection();
    protected readonly observer: ResizeObserver;
    protected shown: readonly Notice[] = [];
    /** The height of {@link head} in pixels, which the editor loses. */
    protected height = 0;
    protected layOutAgain: () => void = () => undefined;

    constructor(
        protected readonly widget: EditorWidget,
        host: BarHost
    ) {
        const { node, editor } = widget;
        node.classList.add('companion-review');
        this.bar = new DiffBar(node.ownerDocument, host);
        this.list = node.ownerDocument.createElement('ul');
        this.list.setAttribute('role', 'list');
        this.more = node.ownerDocument.createElement('button');
        this.more.className = 'companion-review-more';
        this.more.textContent = nls.localize('theia/cli-companion/review/moreNotices', 'More');
        this.more.addEventListener('click', () => this.showAll(this.more.getAttribute('aria-expanded') !== 'true'));
        this.notices = node.ownerDocument.createElement('div');
        this.notices.className = 'companion-review-notices';
        this.notices.append(this.list, this.more);
        this.showAll(false);
        this.head = node.ownerDocument.createElement('div');
        this.head.className = 'companion-review-head';
        this.head.append(this.notices);
        node.prepend(this.head);
        this.observer = new ResizeObserver(() => this.makeRoom());
        this.observer.observe(this.head);
        this.toDispose.push(Disposable.create(() => this.observer.disconnect()));
        this.toDispose.push(Disposable.create(() => this.head.remove()));
        if (editor instanceof MonacoDiffEditor) {
            this.giveRest(editor.diffEditor);
            if (editor.diffEditor instanceof DiffEditorWidget) {
                this.handleArrow(editor.diffEditor);
            }
        }
    }

    /** Shows the bar, from then on. */
    setBar(content: BarContent): void {
        this.bar.set(content);
        if (!this.bar.node.isConnected) {
            this.head.prepend(this.bar.node);
            this.makeRoom();
        }
    }

    /** @param isWrapped the lines of the text, as the button in the bar has it */
    setWrapped(isWrapped: boolean): void {
        this.bar.setWrapped(isWrapped);
    }

    /** @param text in the bar */
    setChanges(text: string): void {
        this.bar.setChanges(text);
    }

    /** @param text in the bar, for a moment */
    say(text: string): void {
        this.bar.say(text);
    }

    get texts(): string[] {
        return this.shown.map(({ text }) => text);
    }

    /** Shows these notices instead of those before. They are text, never markup. Screen readers read new ones out. */
    set(notices: readonly Notice[]): void {
        const before = this.texts;
        const texts = notices.map(({ text }) => text);
        this.announce(
            texts.filter(text => !before.includes(text)),
            texts[0]
        );
        if (texts.join('\n') === before.join('\n')) {
            return;
        }
        this.shown = [...notices];
        // A notice that stays is left alone: screen readers would read it out again.
        const items = notices.map(notice => this.items.get(notice.text) ?? this.createItem(notice));
        for (const [text, item] of this.items) {
            if (!items.includes(item)) {
                item.remove();
                this.items.delete(text);
            }
        }
        items.forEach((item, index) => {
            if (this.list.children[index] !== item) {
                this.list.insertBefore(item, this.list.children[index] ?? null);
            }
        });
        this.makeRoom();
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected showAll(all: boolean): void {
        this.more.setAttribute('aria-expanded', String(all));
        this.notices.classList.toggle('companion-review-all', all);
    }

    /**
     * The list is a live region. Screen readers pass over one that has just come into the page or is not visible: what is new in it then is
     * said in another way, so that nothing is said twice.
     * @param first the one that is in sight
     */
    protected announce(texts: readonly string[], first: string | undefined): void {
        const isLive = this.list.hasAttribute('aria-live');
        if (!isLive) {
            setTimeout(() => this.list.setAttribute('aria-live', 'polite'));
        }
        const unheard = isLive && this.widget.isVisible ? texts.filter(text => text !== first) : texts;
        if (unheard.length > 0) {
            status(joinSentences(unheard));
        }
    }

    protected createItem({ text, actions = [] }: Notice): HTMLLIElement {
        const { ownerDocument } = this.list;
        const item = ownerDocument.createElement('li');
        item.className = 'companion-review-notice';
        const sentence = ownerDocument.createElement('span');
        sentence.textContent = text;
        sentence.title = text;
        item.append(sentence);
        for (const action of actions) {
            const button = ownerDocument.createElement('button');
            button.className = `theia-button ${action.isMain ? 'main' : 'secondary'} companion-review-notice-action`;
            button.textContent = action.label;
            button.addEventListener('click', () => action.run());
            item.appendChild(button);
        }
        this.items.set(text, item);
        return item;
    }

    /** Gives the editor the height that is left. */
    protected giveRest(diff: MonacoDiffEditor['diffEditor']): void {
        const layout = diff.layout.bind(diff);
        let size: monaco.editor.IDimension | undefined;
        diff.layout = dimension => {
            size = dimension;
            // The observer is told a frame later: Monaco would lay out and draw everything twice.
            // A tab that is hidden has no height, and needs its old one when it is shown again.
            this.height = this.head.offsetHeight || this.height;
            layout(dimension && { width: dimension.width, height: Math.max(0, dimension.height - this.height) });
        };
        this.layOutAgain = () => size && diff.layout(size);
    }

    protected makeRoom(): void {
        const sentence = this.list.querySelector('span');
        // A line's height may be a fraction.
        const isCut = sentence !== null && sentence.scrollHeight > sentence.clientHeight + 4;
        this.more.hidden = this.shown.length < 2 && !isCut && this.more.getAttribute('aria-expanded') !== 'true';
        const { offsetHeight } = this.head;
        this.keepHoverOff();
        if (offsetHeight > 0 && offsetHeight !== this.height) {
            this.layOutAgain();
        }
    }

    /** Tells the style sheet how far below its tab the bar ends: Theia (1.74) shows the tab's hover there, in front of everything. */
    protected keepHoverOff(): void {
        const { node, id } = this.widget;
        const tab = node.ownerDocument.getElementById(`shell-tab-${id}`);
        if (tab && this.bar.node.offsetHeight > 0) {
            const distance = this.bar.node.getBoundingClientRect().bottom - tab.getBoundingClientRect().bottom;
            node.ownerDocument.body.style.setProperty('--companion-review-bar-end', `${Math.max(0, distance)}px`);
        }
    }

    /**
     * Monaco 1.108 has no room for the arrow of a small change in line 1. It puts the arrow into a menu behind three dots
     * (`DiffToolBar.layout`, `isSmall`). Instead of that menu, Theia 1.74 opens the editor's menu in the corner of the window.
     */
    protected handleArrow(diff: DiffEditorWidget): void {
        const { node } = this.widget;
        const listener = (event: Event): void => this.takeBackFirstLine(diff, event);
        ARROW_EVENTS.forEach(type => node.addEventListener(type, listener, true));
        this.toDispose.push(Disposable.create(() => ARROW_EVENTS.forEach(type => node.removeEventListener(type, listener, true))));
    }

    protected takeBackFirstLine(diff: DiffEditorWidget, event: Event): void {
        const arrow = event.target instanceof Element ? event.target.closest(INSTEAD_OF_ARROW) : null;
        const pressed = event instanceof KeyboardEvent ? event.key === 'Enter' || event.key === ' ' : true;
        if (!arrow || !pressed) {
            return;
        }
        // The dots would say "More Actions...".
        arrow.setAttribute('aria-label', revertName());
        arrow.setAttribute('title', revertName());
        event.stopPropagation();
        if (event.type === 'mouseover' || event.type === 'focusin') {
            return;
        }
        event.preventDefault();
        if (event.type === 'click' || event.type === 'keydown') {
            const change = diff.getDiffComputationResult()?.changes2.find(({ original }) => original.startLineNumber === 1);
            diff.revertRangeMappings(change?.withInnerChangesFromLineRanges().innerChanges ?? []);
        }
    }
}
