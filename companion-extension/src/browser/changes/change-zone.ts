// SPDX-License-Identifier: Apache-2.0

import * as monaco from '@theia/monaco-editor-core';
import { MonacoEditorZoneWidget } from '@theia/monaco/lib/browser/monaco-editor-zone-widget';

/** Its frame above and below. */
const FRAME_PX = 6;
const LEAST_LINES = 2;

/** What stands between the lines of an editor: what the user can do, perhaps under a text. */
export class ChangeZone extends MonacoEditorZoneWidget {
    constructor(
        editor: monaco.editor.ICodeEditor,
        protected readonly foot: HTMLElement
    ) {
        super(editor, false);
        this.containerNode.classList.add('companion-change-zone');
        this.containerNode.append(foot);
    }

    /** @param textLines that are in sight */
    place(afterLineNumber: number, textLines = 0): void {
        // Theia (1.74) scrolls to a zone that it shows.
        const top = this.editor.getScrollTop();
        this.show({ afterLineNumber, heightInLines: textLines + LEAST_LINES, frameWidth: 1 });
        this.editor.setScrollTop(top, monaco.editor.ScrollType.Immediate);
        // Its buttons take several lines where there is no room.
        const fit = (): void => {
            const lineHeight = this.editor.getOption(monaco.editor.EditorOption.lineHeight);
            this.layout(textLines + Math.max(LEAST_LINES, (this.foot.offsetHeight + FRAME_PX) / lineHeight));
        };
        fit();
        this.toHide.push(this.editor.onDidLayoutChange(fit));
    }

    /** The line in front of it. Monaco moves it with the text. */
    get line(): number | undefined {
        return this.viewZone?.afterLineNumber;
    }

    get hasFocus(): boolean {
        return this.containerNode.contains(this.containerNode.ownerDocument.activeElement);
    }

    focus(): void {
        this.foot.querySelector<HTMLElement>('button:not(.companion-review-wrap)')?.focus();
    }

    override dispose(): void {
        if (this.hasFocus) {
            this.editor.focus();
        }
        super.dispose();
    }
}
