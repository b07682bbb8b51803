// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';

/** What Monaco shows instead of the arrow; the style sheet draws it as one. */
const INSTEAD_OF_ARROW = '.gutterItem .codicon-toolbar-more';
const ARROW_EVENTS = ['mousedown', 'mouseup', 'click', 'keydown'] as const;

/** @property actions what the user can do about it, as buttons */
export interface Notice {
    text: string;
    actions?: ReadonlyArray<{ label: string; run(): void }>;
}

/**
 * What we add to a diff editor: notices over its top, and the arrow that takes back a change in line 1. The notices stay in sight while
 * the text scrolls. Monaco's view zones do not: they vanish with the model of a hidden editor, and are hidden from screen readers.
 */
export class DiffOverlay implements Disposable {
    protected readonly list: HTMLUListElement;
    protected readonly toDispose = new DisposableCollection();
    protected readonly observer: ResizeObserver;
    protected shown: readonly Notice[] = [];

    /** @param reserve leaves this many pixels free above the first line, so that a notice covers no text */
    constructor(
        protected readonly widget: EditorWidget,
        reserve: (height: number) => void
    ) {
        const { node, editor } = widget;
        node.classList.add('companion-review');
        this.list = node.ownerDocument.createElement('ul');
        this.list.className = 'companion-review-notices';
        // Not a live region: screen readers pass over one that comes into the page together with its first text.
        this.list.setAttribute('role', 'list');
        this.observer = new ResizeObserver(() => reserve(this.list.offsetHeight));
        this.toDispose.push(Disposable.create(() => this.observer.disconnect()));
        this.toDispose.push(Disposable.create(() => this.list.remove()));
        if (editor instanceof MonacoDiffEditor && editor.diffEditor instanceof DiffEditorWidget) {
            this.handleArrow(editor.diffEditor);
        }
    }

    /** Shows these notices instead of those before. They are text, never markup. Screen readers read new ones out. */
    set(notices: readonly Notice[]): void {
        const before = this.shown.map(({ text }) => text);
        const texts = notices.map(({ text }) => text);
        if (texts.length === before.length && texts.every((text, index) => text === before[index])) {
            return;
        }
        this.shown = [...notices];
        const added = texts.filter(text => !before.includes(text));
        if (added.length > 0) {
            status(added.join(' '));
        }
        if (!this.list.isConnected && texts.length > 0) {
            this.widget.node.appendChild(this.list);
            this.observer.observe(this.list);
        }
        this.list.replaceChildren(...notices.map(notice => this.createItem(notice)));
        this.list.hidden = texts.length === 0;
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected createItem({ text, actions = [] }: Notice): HTMLLIElement {
        const { ownerDocument } = this.list;
        const item = ownerDocument.createElement('li');
        item.className = 'companion-review-notice';
        item.textContent = text;
        for (const action of actions) {
            const button = ownerDocument.createElement('button');
            button.className = 'theia-button secondary companion-review-notice-action';
            button.textContent = action.label;
            button.addEventListener('click', () => action.run());
            item.appendChild(button);
        }
        return item;
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
        const pressed = event instanceof KeyboardEvent ? event.key === 'Enter' || event.key === ' ' : true;
        if (!pressed || !(event.target instanceof Element) || !event.target.closest(INSTEAD_OF_ARROW)) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        if (event.type === 'click' || event.type === 'keydown') {
            const change = diff.getDiffComputationResult()?.changes2.find(({ original }) => original.startLineNumber === 1);
            diff.revertRangeMappings(change?.withInnerChangesFromLineRanges().innerChanges ?? []);
        }
    }
}
