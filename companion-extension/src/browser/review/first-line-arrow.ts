// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';

/** What Monaco shows instead of the arrow; the style sheet draws it as one. */
const INSTEAD_OF_ARROW = '.gutterItem .codicon-toolbar-more';
const EVENTS = ['mousedown', 'mouseup', 'click', 'keydown'] as const;

/**
 * Takes back a change in the first line. Monaco 1.108 has no room for that change's arrow and puts it into a menu behind three dots
 * (`DiffToolBar.layout`, `isSmall`), in whose place Theia 1.74 opens the menu of the editor, in the corner of the window.
 */
export class FirstLineArrow implements Disposable {
    protected readonly toDispose = new DisposableCollection();

    constructor(
        node: HTMLElement,
        protected readonly diff: DiffEditorWidget
    ) {
        const listener = (event: Event): void => this.handle(event);
        EVENTS.forEach(type => node.addEventListener(type, listener, true));
        this.toDispose.push(Disposable.create(() => EVENTS.forEach(type => node.removeEventListener(type, listener, true))));
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected handle(event: Event): void {
        const pressed = event instanceof KeyboardEvent ? event.key === 'Enter' || event.key === ' ' : true;
        if (!pressed || !(event.target instanceof Element) || !event.target.closest(INSTEAD_OF_ARROW)) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        if (event.type === 'click' || event.type === 'keydown') {
            const change = this.diff.getDiffComputationResult()?.changes2.find(({ original }) => original.startLineNumber === 1);
            this.diff.revertRangeMappings(change?.withInnerChangesFromLineRanges().innerChanges ?? []);
        }
    }
}
