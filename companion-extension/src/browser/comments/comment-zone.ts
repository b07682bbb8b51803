// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import * as monaco from '@theia/monaco-editor-core';
import { MonacoEditorZoneWidget } from '@theia/monaco/lib/browser/monaco-editor-zone-widget';
import { CommentAnchor, CommentDraft, CommentLimits } from '../../common/comments-protocol';

/** Lines of the text that are shown at most. */
const SHOWN_LINES = 8;
/** Lines of the editor that the rest takes. */
const FRAME_LINES = 3;

interface CommentZoneOptions {
    readonly editor: monaco.editor.ICodeEditor;
    readonly draft: CommentDraft;
    /** For screen readers. */
    readonly fileName: string;
    write(draft: CommentDraft): void;
    send(): void;
    discard(): void;
}

/** A comment under its lines, where it is typed, too. All of it is plain text. */
export class CommentZone extends MonacoEditorZoneWidget {
    protected readonly lines = document.createElement('span');
    protected readonly text = document.createElement('textarea');
    protected readonly decoration: monaco.editor.IEditorDecorationsCollection;
    draft: CommentDraft;
    /** Where its lines are in this editor; `undefined` if they are not there. */
    anchor: CommentAnchor | undefined;

    constructor(protected readonly commented: CommentZoneOptions) {
        super(commented.editor, false);
        this.decoration = commented.editor.createDecorationsCollection();
        this.draft = commented.draft;
        this.text.value = commented.draft.text;
        this.text.maxLength = CommentLimits.text;
        this.text.placeholder = nls.localize(
            'theia/cli-companion/comments/placeholder',
            'Say what is wrong here. Escape: back to the text.'
        );
        this.text.addEventListener('input', () => {
            commented.write({ ...this.draft, text: this.text.value });
            this.layout(this.height);
        });
        const send = nls.localize('theia/cli-companion/comments/sendAll', 'Add All to CLI Prompt');
        const discard = nls.localize('theia/cli-companion/comments/discard', 'Discard');
        const foot = document.createElement('div');
        foot.className = 'companion-comment-foot';
        foot.append(
            this.lines,
            button(discard, 'theia-button secondary', () => commented.discard()),
            button(send, 'theia-button main', () => commented.send())
        );
        this.containerNode.classList.add('companion-comment');
        this.containerNode.setAttribute('role', 'group');
        this.containerNode.append(this.text, foot);
        this.containerNode.addEventListener('keydown', event => this.handleKey(event));
    }

    /** Takes what somebody else has made of it. What is being typed here stays. */
    set(draft: CommentDraft): void {
        this.draft = draft;
        if (this.text.value !== draft.text && !this.hasFocus) {
            this.text.value = draft.text;
            this.layout(this.height);
        }
    }

    /** @param anchor `undefined`: its lines are not there, and it stays where it was */
    place(anchor: CommentAnchor | undefined): void {
        this.anchor = anchor;
        const { first, last } = anchor ?? this.draft;
        const count = this.editor.getModel()?.getLineCount() ?? 1;
        const afterLineNumber = Math.min(last, count);
        const range = anchor && new monaco.Range(first, 1, last, this.editor.getModel()?.getLineMaxColumn(Math.min(last, count)) ?? 1);
        const options = { description: 'companion-comment', isWholeLine: true, linesDecorationsClassName: 'companion-comment-lines' };
        this.decoration.set(range ? [{ range, options }] : []);
        const lines = anchor
            ? first === last
                ? nls.localize('theia/cli-companion/comments/line', 'Line {0}', String(first))
                : nls.localize('theia/cli-companion/comments/lines', 'Lines {0}-{1}', String(first), String(last))
            : nls.localize('theia/cli-companion/comments/lost', 'Line not found: {0}', this.draft.quote.split('\n', 1)[0].trim());
        this.lines.textContent = lines;
        this.containerNode.classList.toggle('companion-comment-lost', !anchor);
        const { fileName } = this.commented;
        this.text.setAttribute('aria-label', nls.localize('theia/cli-companion/comments/label', 'Comment on {0}: {1}', fileName, lines));
        if (!this.viewZone) {
            // Theia (1.74) scrolls to a zone that it shows: only the user's own one is looked at.
            const top = this.editor.getScrollTop();
            this.show({ afterLineNumber, heightInLines: this.height, frameWidth: 1 });
            this.editor.setScrollTop(top, monaco.editor.ScrollType.Immediate);
        } else if (this.viewZone.afterLineNumber !== afterLineNumber) {
            const { id } = this.viewZone;
            this.viewZone.afterLineNumber = afterLineNumber;
            this.editor.changeViewZones(accessor => accessor.layoutZone(id));
        }
    }

    /** Where Monaco has moved its lines to. */
    get followed(): monaco.Range | undefined {
        return this.decoration.getRanges()[0];
    }

    get hasFocus(): boolean {
        return this.containerNode.contains(this.containerNode.ownerDocument.activeElement);
    }

    focus(): void {
        const top = Math.max(1, (this.anchor ?? this.draft).first - 1);
        this.editor.revealLineInCenter(Math.min(top, this.editor.getModel()?.getLineCount() ?? 1), monaco.editor.ScrollType.Immediate);
        this.text.focus();
    }

    override dispose(): void {
        if (this.hasFocus) {
            this.editor.focus();
        }
        this.decoration.clear();
        super.dispose();
    }

    protected get height(): number {
        return FRAME_LINES + Math.min(SHOWN_LINES, Math.max(2, this.text.value.split('\n').length));
    }

    protected handleKey(event: KeyboardEvent): void {
        if (event.key === 'Escape' && !event.isComposing) {
            event.preventDefault();
            event.stopPropagation();
            this.editor.focus();
            if (this.text.value.trim() === '') {
                this.commented.discard();
            }
        }
    }
}

function button(label: string, className: string, run: () => void): HTMLButtonElement {
    const element = document.createElement('button');
    element.className = className;
    element.textContent = label;
    element.addEventListener('click', run);
    return element;
}
