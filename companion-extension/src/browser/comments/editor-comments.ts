// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { generateUuid } from '@theia/core/lib/common/uuid';
import * as monaco from '@theia/monaco-editor-core';
import { CommentAnchor, CommentDraft } from '../../common/comments-protocol';
import { visibleText } from '../../common/visible-text';
import { CommentAnchors } from './comment-anchors';
import { CommentZone } from './comment-zone';
import { PageComments } from './page-comments';

const ADD_CLASS = 'companion-comment-add';

/** The comments of a file in one of its editors. They follow their lines. */
export class EditorComments implements Disposable {
    protected readonly zones = new Map<string, CommentZone>();
    protected readonly hovered: monaco.editor.IEditorDecorationsCollection;
    protected readonly toDispose = new DisposableCollection();

    /** @param file that the editor shows, or a text proposed for it */
    constructor(
        readonly editor: monaco.editor.ICodeEditor,
        readonly file: URI,
        protected readonly comments: PageComments,
        protected readonly send: () => void
    ) {
        this.hovered = editor.createDecorationsCollection();
        this.toDispose.pushAll([
            comments.onDidChange(() => this.update()),
            // Theia (1.74) takes the text from an editor whose tab is hidden, and what is between its lines goes with it.
            editor.onDidChangeModel(() => {
                this.clear();
                this.update();
            }),
            editor.onDidChangeModelContent(event => this.follow(event)),
            editor.onMouseMove(({ target }) => this.hover(target.position?.lineNumber)),
            editor.onMouseLeave(() => this.hover(undefined)),
            editor.onMouseDown(({ target }) => {
                if (target.element?.classList.contains(ADD_CLASS) && target.position) {
                    this.add(target.position.lineNumber);
                }
            })
        ]);
        this.update();
    }

    /** Begins one on the selected lines. @param line that was clicked on; its own comment if it is not selected */
    add(line?: number): void {
        const selection = this.editor.getSelection() ?? new monaco.Selection(1, 1, 1, 1);
        const { startLineNumber, endLineNumber, endColumn } = selection;
        const end = endColumn === 1 && endLineNumber > startLineNumber ? endLineNumber - 1 : endLineNumber;
        const isOther = line !== undefined && (line < startLineNumber || line > end);
        const anchor = CommentAnchors.of(this.texts, isOther ? line : startLineNumber, isOther ? line : end);
        const draft = { ...anchor, id: generateUuid(), uri: this.file.toString(), text: '' };
        this.comments.write(draft);
        this.focus(draft.id);
    }

    /** @returns whether it is here */
    focus(id: string): boolean {
        this.zones.get(id)?.focus();
        return this.zones.has(id);
    }

    /** Where its lines are here; absent if they are not. */
    find(id: string): CommentAnchor | undefined {
        return this.zones.get(id)?.anchor;
    }

    /** The first lines of those that are here. */
    get lines(): number[] {
        return [...this.zones.values()].flatMap(({ anchor }) => anchor?.first ?? []);
    }

    /** The comment that has the keyboard, else the one of the lines at the cursor. */
    get current(): string | undefined {
        const line = this.editor.getPosition()?.lineNumber ?? 0;
        const isAt = ({ anchor }: CommentZone): boolean => anchor !== undefined && anchor.first <= line && line <= anchor.last;
        const zones = [...this.zones];
        const [id] = zones.find(([, { hasFocus }]) => hasFocus) ?? zones.find(([, zone]) => isAt(zone)) ?? [];
        return id;
    }

    dispose(): void {
        this.toDispose.dispose();
        this.clear();
    }

    protected clear(): void {
        this.zones.forEach(zone => zone.dispose());
        this.zones.clear();
    }

    protected get texts(): string[] {
        return this.editor.getModel()?.getLinesContent() ?? [];
    }

    protected update(): void {
        const uri = this.file.toString();
        const all = this.editor.getModel() ? this.comments.all : [];
        const shown = all.filter(comment => comment.uri === uri && !comment.isSent);
        [...this.zones]
            .filter(([id]) => !shown.some(comment => comment.id === id))
            .forEach(([id, zone]) => {
                this.zones.delete(id);
                zone.dispose();
            });
        for (const draft of shown) {
            const zone = this.zones.get(draft.id);
            const { first, last, quote } = zone?.draft ?? {};
            const isPlaced = zone && first === draft.first && last === draft.last && quote === draft.quote;
            zone?.set(draft);
            if (!isPlaced) {
                (zone ?? this.make(draft)).place(CommentAnchors.find(this.texts, draft));
            }
        }
    }

    protected make(draft: CommentDraft): CommentZone {
        const { id } = draft;
        const zone = new CommentZone({
            editor: this.editor,
            draft,
            fileName: visibleText(this.file.path.base),
            write: typed => this.comments.write(typed),
            send: this.send,
            discard: () => this.comments.discard(id)
        });
        this.zones.set(id, zone);
        return zone;
    }

    /**
     * What is typed into the lines of a comment changes its lines. Any other change may move them, or take them away. Where only others like
     * them stand, as in the file while the comment is about a proposal, they are looked for again.
     */
    protected follow({ changes, isFlush }: monaco.editor.IModelContentChangedEvent): void {
        this.hover(undefined);
        if (this.zones.size === 0) {
            return;
        }
        const { texts } = this;
        for (const zone of this.zones.values()) {
            const { anchor, followed, draft } = zone;
            const isOwn = anchor?.first === draft.first && anchor.last === draft.last;
            const isTyped =
                anchor &&
                !isFlush &&
                changes.every(({ range }) => range.startLineNumber >= anchor.first && range.endLineNumber <= anchor.last);
            const moved = followed && CommentAnchors.of(texts, followed.startLineNumber, followed.endLineNumber);
            const isThere = moved && ((isOwn && moved.quote === draft.quote) || (isTyped && !followed.isEmpty()));
            const now = isThere ? moved : CommentAnchors.find(texts, draft);
            zone.place(now);
            if (now && (isOwn || isTyped) && JSON.stringify(now) !== JSON.stringify(anchor)) {
                zone.draft = { ...draft, ...now };
                this.comments.write(zone.draft);
            }
        }
    }

    /** Shows the button for a comment on this line. */
    protected hover(line: number | undefined): void {
        if (this.hovered.getRanges()[0]?.startLineNumber !== line) {
            const label = nls.localize('theia/cli-companion/comments/addHere', 'Comment on this line');
            const options = { description: ADD_CLASS, linesDecorationsClassName: ADD_CLASS, linesDecorationsTooltip: label };
            this.hovered.set(line === undefined ? [] : [{ range: new monaco.Range(line, 1, line, 1), options }]);
        }
    }
}
