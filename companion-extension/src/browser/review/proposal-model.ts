// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { ITextBufferFactory } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { Revision } from '../../common/revision';
import { TypedText } from './review-text';
import { ProposalResource } from './proposal-resource';

/** The right side. It is never dirty: neither closing it nor leaving the page asks anything, and neither auto-save nor Save All touches it. */
export class ProposalModel extends MonacoEditorModel implements TypedText {
    protected readonly onDidTypeEmitter = new Emitter<boolean>();
    /** Fires when the user changed the text, with true if that was an undo which took back the text of another page. */
    readonly onDidType = this.onDidTypeEmitter.event;
    /** The version of the text that is the proposal; `undefined` if it was never shown here. */
    protected proposalVersion: number | undefined;
    protected isPainting = false;
    /** The version of the text, and those that were painted, as Monaco's undo counts. */
    protected shownVersion: number;
    protected painted: readonly number[] = [];

    static shownIn(widget: EditorWidget): ProposalModel | undefined {
        const document = MonacoEditor.get(widget)?.document;
        return document instanceof ProposalModel ? document : undefined;
    }

    override get dirty(): boolean {
        return false;
    }

    /** The resource that it was made from. */
    get revision(): Revision {
        return this.proposal.revision;
    }

    get isEdited(): boolean {
        return this.textEditorModel.getAlternativeVersionId() !== this.proposalVersion;
    }

    /** With its byte order mark, and the line ends of the proposal. */
    get text(): string {
        return this.proposal.lineEnds.restore(this.textEditorModel.getValue(undefined, true));
    }

    /** How many lines of {@link text} may have got another line end than they had. */
    get uncertainLineEnds(): number {
        return this.proposal.lineEnds.uncertain;
    }

    get length(): number {
        return this.textEditorModel.getValueLength();
    }

    /** Shows another text, as one step for undo: that brings back what was shown before. */
    paint(text: string, isEdited: boolean): void {
        if (isEdited === this.isEdited && text === this.text) {
            return;
        }
        const { textEditorModel } = this;
        this.isPainting = true;
        try {
            textEditorModel.pushStackElement();
            // The model keeps the byte order mark by itself.
            const edit = { range: textEditorModel.getFullModelRange(), text: text.replace(/^\uFEFF/, '') };
            textEditorModel.pushEditOperations([], [edit], () => null);
            textEditorModel.pushStackElement();
        } finally {
            this.isPainting = false;
        }
        if (!isEdited) {
            this.proposalVersion = textEditorModel.getAlternativeVersionId();
        }
    }

    protected get proposal(): ProposalResource {
        return this.resource as ProposalResource;
    }

    protected override initialize(value: string | ITextBufferFactory): void {
        super.initialize(value);
        if (!this.toDispose.disposed) {
            this.proposalVersion = this.proposal.isEdited ? undefined : this.textEditorModel.getAlternativeVersionId();
            this.toDispose.push(this.onDidTypeEmitter);
            this.shownVersion = this.textEditorModel.getAlternativeVersionId();
            this.toDispose.push(this.onDidChangeContent(() => this.follow()));
        }
    }

    protected follow(): void {
        const { shownVersion: before, isPainting, textEditorModel } = this;
        const now = textEditorModel.getAlternativeVersionId();
        this.shownVersion = now;
        if (now === textEditorModel.getVersionId()) {
            // Neither undo nor redo: what was undone before does not come again.
            this.painted = [...this.painted.filter(version => version <= before), ...(isPainting ? [now] : [])];
        }
        if (!isPainting) {
            this.onDidTypeEmitter.fire(this.painted.some(version => now < version && version <= before));
        }
    }

    protected override setDirty(): void {
        // Never dirty.
    }

    /** Does not read again: that would take the user's edits back. */
    override async sync(): Promise<void> {
        return undefined;
    }
}
