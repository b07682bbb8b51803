// SPDX-License-Identifier: Apache-2.0

import { ILogger, Resource } from '@theia/core/lib/common';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorPreferences } from '@theia/editor/lib/common/editor-preferences';
import { ITextBufferFactory } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoEditorModelFactory } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { MonacoToProtocolConverter } from '@theia/monaco/lib/browser/monaco-to-protocol-converter';
import { ProtocolToMonacoConverter } from '@theia/monaco/lib/browser/protocol-to-monaco-converter';
import { DraftRef, ReviewContent, ReviewInfo } from '../../common/companion-protocol';
import { EditableText, ProposalDocument } from './proposal-texts';
import { PROPOSED_SCHEME } from './review-uris';

/** What the right side needs of a review, also of one that has ended. */
export type Proposed = Pick<ReviewInfo, 'id' | 'uri' | 'cliName' | 'draft'>;
type ProposedContent = Pick<ReviewContent, 'text' | 'edited'> & { review: Proposed };

/** The proposal as a resource. It cannot be saved: the CLI writes the file, after the user has accepted. */
export class ProposalResource implements Resource {
    readonly autosaveable = false;

    protected content: EditableText;

    /** As it was read from the backend. */
    readonly review: Proposed;

    constructor(
        readonly uri: URI,
        { text, edited, review }: ProposedContent
    ) {
        this.content = { text, edited };
        this.review = review;
    }

    /** The user had edited the text before this page read it. */
    get edited(): boolean {
        return this.content.edited;
    }

    replace(text: EditableText): void {
        this.content = text;
    }

    async readContents(): Promise<string> {
        return this.content.text;
    }

    dispose(): void {
        // Holds nothing but the text.
    }
}

/**
 * The right side of a review, or a kept draft. It is never dirty: neither closing it nor leaving the page asks anything, and neither auto-save nor Save All
 * touches it.
 */
export class ProposalModel extends MonacoEditorModel implements ProposalDocument {
    protected readonly onDidTypeEmitter = new Emitter<void>();
    /** Fires when the user changed the text. */
    readonly onDidType = this.onDidTypeEmitter.event;
    protected showing = false;

    override get dirty(): boolean {
        return false;
    }

    /** The user changed the proposal, in this load of the page or before. */
    get edited(): boolean {
        return this.proposal.edited || this.textEditorModel.getAlternativeVersionId() !== this.bufferSavedVersionId;
    }

    /** With its byte order mark. */
    get text(): string {
        return this.textEditorModel.getValue(undefined, true);
    }

    get length(): number {
        return this.textEditorModel.getValueLength();
    }

    get review(): Proposed {
        return this.proposal.review;
    }

    get draft(): DraftRef {
        return this.review.draft;
    }

    show(text: EditableText): void {
        if (text.edited === this.edited && text.text === this.text) {
            return;
        }
        this.proposal.replace(text);
        this.showing = true;
        try {
            this.textEditorModel.setValue(text.text);
            this.bufferSavedVersionId = this.textEditorModel.getAlternativeVersionId();
        } finally {
            this.showing = false;
        }
    }

    protected get proposal(): ProposalResource {
        return this.resource as ProposalResource;
    }

    protected override initialize(value: string | ITextBufferFactory): void {
        super.initialize(value);
        if (!this.toDispose.disposed) {
            this.toDispose.push(this.onDidTypeEmitter);
            this.toDispose.push(this.onDidChangeContent(() => !this.showing && this.onDidTypeEmitter.fire()));
        }
    }

    protected override setDirty(): void {
        // Never dirty. The first version stays the one that counts as unedited.
    }

    /** Does not read again: that would take the user's edits back. */
    override async sync(): Promise<void> {
        return undefined;
    }
}

@injectable()
export class ProposalModelFactory implements MonacoEditorModelFactory {
    readonly scheme = PROPOSED_SCHEME;

    @inject(MonacoToProtocolConverter)
    protected readonly m2p: MonacoToProtocolConverter;
    @inject(ProtocolToMonacoConverter)
    protected readonly p2m: ProtocolToMonacoConverter;
    @inject(EditorPreferences)
    protected readonly editorPreferences: EditorPreferences;
    @inject(ILogger)
    @named('companion:ProposalModel')
    protected readonly logger: ILogger;

    createModel(resource: Resource): MonacoEditorModel {
        return new ProposalModel(resource, this.m2p, this.p2m, this.logger, this.editorPreferences);
    }
}
