// SPDX-License-Identifier: Apache-2.0

import * as monaco from '@theia/monaco-editor-core';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { DiffBar } from '../diff/diff-bar';
import { ChangeZone } from './change-zone';
import { removedLinesText } from './change-words';

/** As many are shown, and are in sight at once. */
const MAX_LINES = 1_000;
const LINES_IN_SIGHT = 12;
/** As many characters are read out. */
const MAX_SPOKEN = 500;

/** The lines that a change has removed, above those that came instead, with the bar of the change. Escape closes it. */
export class RemovedLines extends ChangeZone {
    constructor(
        editor: monaco.editor.ICodeEditor,
        readonly bar: DiffBar,
        close: () => void
    ) {
        super(editor, bar.node);
        this.containerNode.addEventListener('keydown', event => {
            if (event.key === 'Escape') {
                event.preventDefault();
                event.stopPropagation();
                close();
            }
        });
    }

    /** @param lines none if the change has only added some */
    open(afterLineNumber: number, lines: readonly string[]): void {
        if (lines.length > 0) {
            const text = [...lines.slice(0, MAX_LINES), ...(lines.length > MAX_LINES ? ['…'] : [])].join('\n');
            const label = removedLinesText(lines.length);
            this.containerNode.prepend(this.createText(text, label));
            status(`${label}\n${text.substring(0, MAX_SPOKEN)}`);
        }
        this.place(afterLineNumber, Math.min(lines.length, LINES_IN_SIGHT));
    }

    protected createText(text: string, label: string): HTMLElement {
        const { fontFamily, fontSize, lineHeight } = this.editor.getOption(monaco.editor.EditorOption.fontInfo);
        const shown = document.createElement('pre');
        shown.className = 'companion-change-before';
        shown.textContent = text;
        shown.tabIndex = 0;
        shown.setAttribute('role', 'textbox');
        shown.setAttribute('aria-readonly', 'true');
        shown.setAttribute('aria-multiline', 'true');
        shown.setAttribute('aria-label', label);
        Object.assign(shown.style, {
            fontFamily,
            fontSize: `${fontSize}px`,
            lineHeight: `${lineHeight}px`,
            tabSize: String(this.editor.getModel()?.getOptions().tabSize ?? 4),
            paddingLeft: `${this.editor.getLayoutInfo().contentLeft}px`
        });
        return shown;
    }
}
