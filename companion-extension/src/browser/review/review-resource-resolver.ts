// SPDX-License-Identifier: Apache-2.0

import { EncodingRegistry } from '@theia/core/lib/browser/encoding-registry';
import { FrontendApplicationState, FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorPreferences } from '@theia/editor/lib/common/editor-preferences';
import { FileService, TextFileOperationError } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoToProtocolConverter } from '@theia/monaco/lib/browser/monaco-to-protocol-converter';
import { ProtocolToMonacoConverter } from '@theia/monaco/lib/browser/protocol-to-monaco-converter';
import { ITextBufferFactory } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { CompanionBackend, DraftRef, ReviewContent, ReviewInfo } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { plain } from './after-accept';
import { EDITED_SCHEME, ORIGINAL_SCHEME, PageReviews, PROPOSED_SCHEME, ReviewUris } from './page-reviews';
import { EditableText, ProposalDocument, proposedText, ReadText } from './proposal-texts';
import { decodeUtf8 } from './utf8';

/** What a decoder writes for bytes that are not text. */
export const REPLACEMENT_CHARACTER = '\uFFFD';

/** In milliseconds: a large file takes long on a slow line. */
const FILE_LIMIT = 60_000;
/** For a look at the file while the user waits for an accept, in milliseconds. */
const LOOK_LIMIT = 1_000;
/** For the hello, which may take 10 s, and a proposal together, in milliseconds. */
const READ_LIMIT = 20_000;
/**
 * The same while the layout is restored: Theia shows no window before every tab is. If a tab is given up, its review opens as soon as the
 * backend lists it.
 */
const RESTORE_LIMIT = 3_000;
const BEFORE_LAYOUT: readonly FrontendApplicationState[] = ['init', 'started_contributions', 'attached_shell'];

/**
 * Why a file is not shown, or not as it is:
 * - `notUtf8`: some characters are shown as {@link REPLACEMENT_CHARACTER}
 * - `binary`, `tooLarge`, `directory`, `unreadable`: it is not shown
 */
export interface FileFault {
    readonly kind: 'notUtf8' | 'binary' | 'tooLarge' | 'directory' | 'unreadable';
    /** What the system says, with `unreadable`. */
    readonly cause?: string;
}

/** How the left side differs from the file as it was when the CLI asked: somebody wrote, made or removed the file since, or it has a fault. */
export type OriginalDifference = FileFault | { readonly kind: 'changed' | 'created' | 'vanished'; readonly cause?: undefined };

/** What is known of a file on disk. */
export interface FileState {
    readonly exists: boolean;
    /** When it was written last, in milliseconds since the epoch; absent if that is not known. */
    readonly modifiedAt?: number;
    readonly fault?: FileFault;
}

export interface FileOnDisk extends FileState {
    /** Empty if there is none, or if it is not shown. */
    readonly text: string;
}

/** Reads the left sides, and knows how they differ from the files as they were when the CLIs asked. */
@injectable()
export class OriginalContents {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FileSystemPreferences)
    protected readonly preferences: FileSystemPreferences;
    @inject(EncodingRegistry)
    protected readonly encodings: EncodingRegistry;

    /** The files that editors show, by the reviews' ids. */
    protected readonly shown = new Map<string, FileState>();
    protected readonly onDidChangeShownEmitter = new Emitter<string>();
    /** Fires with the review's id when what its left side shows was read. */
    readonly onDidChangeShown = this.onDidChangeShownEmitter.event;
    protected readonly onDidFindChangeEmitter = new Emitter<string>();
    /** Fires with the review's id when its left side has to be read again. */
    readonly onDidFindChange = this.onDidFindChangeEmitter.event;

    /** The file on the left side; `undefined` if no editor shows it. */
    shownOf(reviewId: string): FileState | undefined {
        return this.shown.get(reviewId);
    }

    /** Whether the left side has exactly the text of the file: single changes can be taken back from there. */
    isExact(reviewId: string): boolean {
        const file = this.shown.get(reviewId);
        return file !== undefined && file.fault === undefined;
    }

    /**
     * Looks whether the left side still shows the file; if not, it is read again. File systems do not report every change. Never rejects.
     *
     * @param text of the left side
     * @returns true also if that cannot be found out soon
     */
    async isUpToDate({ id, uri }: ReviewInfo, text: string): Promise<boolean> {
        const shown = this.shown.get(id);
        if (!shown || !this.connection.connected) {
            return true;
        }
        const file = await withTimeLimit(this.read(new URI(uri)), LOOK_LIMIT, '').catch(() => undefined);
        if (!file || file.fault?.kind === 'unreadable') {
            return true;
        }
        const isSame = file.exists === shown.exists && file.fault?.kind === shown.fault?.kind;
        if (isSame && (file.fault ? file.modifiedAt === shown.modifiedAt : plain(file.text) === plain(text))) {
            return true;
        }
        this.onDidFindChangeEmitter.fire(id);
        return false;
    }

    /** @param file absent if the editor is gone */
    show(reviewId: string, file?: FileState): void {
        if (file) {
            this.shown.set(reviewId, file);
            this.onDidChangeShownEmitter.fire(reviewId);
        } else {
            this.shown.delete(reviewId);
        }
    }

    /** Empty if the left side shows the file as it was when the CLI asked. */
    differencesOf({ id, modifiedAt }: ReviewInfo): OriginalDifference[] {
        const file = this.shown.get(id);
        if (file?.exists === false) {
            return modifiedAt === undefined ? [] : [{ kind: 'vanished' }];
        }
        const isAnother = file?.modifiedAt !== undefined && file.modifiedAt !== modifiedAt;
        const time: OriginalDifference[] = isAnother ? [{ kind: modifiedAt === undefined ? 'created' : 'changed' }] : [];
        return file?.fault ? [...time, file.fault] : time;
    }

    /** Never rejects. */
    async read(file: URI): Promise<FileOnDisk> {
        try {
            const limits = { size: this.preferences['files.maxFileSizeMB'] * 1024 * 1024 };
            const { value: bytes, mtime: modifiedAt } = await this.ask(() => this.files.readFile(file, { limits }));
            const plain = decodeUtf8(bytes.buffer);
            // Theia decodes in JavaScript, which takes 30 times as long as the browser.
            const { value: text, encoding } =
                plain !== undefined && this.expectsUtf8(file)
                    ? { value: plain, encoding: UTF8 }
                    : await this.ask(() => this.files.read(file, { acceptTextOnly: true }));
            // The file itself may hold the character.
            const isUtf8 = encoding.startsWith(UTF8) && plain !== undefined;
            const isDamaged = !isUtf8 && text.includes(REPLACEMENT_CHARACTER);
            return { exists: true, text, modifiedAt, fault: isDamaged ? { kind: 'notUtf8' } : undefined };
        } catch (error) {
            const result = error instanceof FileOperationError ? error.fileOperationResult : undefined;
            return result === FileOperationResult.FILE_NOT_FOUND
                ? { exists: false, text: '' }
                : { exists: true, text: '', fault: this.explain(error, result) };
        }
    }

    /** Theia loses what is read while the socket is down: it would never come. */
    protected ask<T>(read: () => Promise<T>): Promise<T> {
        return this.connection.ask(read, FILE_LIMIT, 'The file could not be read in time.');
    }

    protected expectsUtf8(file: URI): boolean {
        return !this.preferences['files.autoGuessEncoding'] && this.encodings.getEncodingForResource(file).startsWith(UTF8);
    }

    protected explain(error: unknown, result: FileOperationResult | undefined): FileFault {
        if (error instanceof TextFileOperationError) {
            return { kind: 'binary' };
        }
        switch (result) {
            case FileOperationResult.FILE_TOO_LARGE:
            case FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT:
                return { kind: 'tooLarge' };
            case FileOperationResult.FILE_IS_DIRECTORY:
                return { kind: 'directory' };
            default:
                return { kind: 'unreadable', cause: error instanceof Error ? error.message : String(error) };
        }
    }
}

/**
 * The left side: the file on disk, read-only. A `file:` URI would not do: it is editable in a diff, shares the buffer of an open editor,
 * and fails for a new file.
 */
export class OriginalResource implements Resource {
    readonly readOnly = true;
    readonly autosaveable = false;

    protected readonly onDidChangeContentsEmitter = new Emitter<void>();
    readonly onDidChangeContents = this.onDidChangeContentsEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeContentsEmitter);

    constructor(
        readonly uri: URI,
        protected readonly file: URI,
        protected readonly contents: OriginalContents,
        files: FileService
    ) {
        this.toDispose.pushAll([
            // Theia does not watch files outside the workspace by itself.
            files.watch(file),
            files.onDidFilesChange(event => event.contains(file) && this.onDidChangeContentsEmitter.fire()),
            contents.onDidFindChange(id => id === uri.authority && this.onDidChangeContentsEmitter.fire()),
            Disposable.create(() => contents.show(uri.authority))
        ]);
    }

    async readContents(): Promise<string> {
        const { text, ...state } = await this.contents.read(this.file);
        if (!this.toDispose.disposed) {
            this.contents.show(this.uri.authority, state);
        }
        return text;
    }

    dispose(): void {
        this.toDispose.dispose();
    }
}

/** What the right side needs of a review, also of one that has ended. */
type Proposed = Pick<ReviewInfo, 'id' | 'uri' | 'cliName'>;

/** The right side as a resource. It cannot be saved: the CLI writes the file, after the user has accepted. */
export class ProposalResource implements Resource {
    readonly autosaveable = false;
    /** What was read from the backend. */
    readonly draft: DraftRef;
    /** What the editor shows, without what the user has typed since. */
    content: EditableText;

    constructor(
        readonly uri: URI,
        readonly review: Proposed,
        content: ReadText
    ) {
        this.draft = content.draft;
        this.content = content;
    }

    async readContents(): Promise<string> {
        return this.content.text;
    }

    dispose(): void {
        // Holds nothing but the text.
    }
}

/** The right side. It is never dirty: neither closing it nor leaving the page asks anything, and neither auto-save nor Save All touches it. */
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
        return this.proposal.content.edited || this.textEditorModel.getAlternativeVersionId() !== this.bufferSavedVersionId;
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
        return this.proposal.draft;
    }

    show(text: EditableText): void {
        if (text.edited === this.edited && text.text === this.text) {
            return;
        }
        this.proposal.content = text;
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
export class ProposalModelFactory {
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

/**
 * Makes both sides of a diff from their URIs. It asks the backend for the right side, so that the diffs that Theia restores after a reload
 * show their proposal again. It does not resolve a review that no longer waits: Theia then drops the tab.
 */
@injectable()
export class ReviewResourceResolver implements ResourceResolver {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(OriginalContents)
    protected readonly contents: OriginalContents;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    /** What came with the request to show a review, by the review's id. */
    protected readonly expected = new Map<string, ReviewContent>();

    async resolve(uri: URI): Promise<Resource> {
        switch (uri.scheme) {
            case ORIGINAL_SCHEME: {
                const known = this.reviews.infoOf(uri.authority)?.uri;
                return new OriginalResource(uri, known ? new URI(known) : ReviewUris.fileOf(uri), this.contents, this.files);
            }
            case PROPOSED_SCHEME:
                return this.resolveProposal(uri);
            case EDITED_SCHEME:
                return this.resolveDraft(uri);
            default:
                throw new Error(`Not a review: '${uri.toString()}'`);
        }
    }

    /** This content is there already: until the result is disposed, the backend is not asked for it. */
    expect(content: ReviewContent): Disposable {
        const { id } = content.review;
        this.expected.set(id, content);
        return Disposable.create(() => this.expected.delete(id));
    }

    protected async resolveProposal(uri: URI): Promise<ProposalResource> {
        const { authority: id } = uri;
        const read = (): Promise<ReviewContent | undefined> => this.backend.readReview(id);
        const content = this.expected.get(id) ?? (await this.read(read, 'The proposal could not be read in time.'));
        if (!content) {
            throw new Error('The review is no longer waiting.');
        }
        return new ProposalResource(uri, content.review, proposedText(content));
    }

    protected async resolveDraft(uri: URI): Promise<ProposalResource> {
        const { authority: id } = uri;
        const text = await this.read(() => this.backend.readDraft(id), 'The edits could not be read in time.');
        const kept = this.connection.state?.keptDrafts.find(draft => draft.id === id);
        if (typeof text !== 'string' || !kept) {
            throw new Error('The edits are not kept any more.');
        }
        const { reviewId, revision, uri: file, cliName } = kept;
        return new ProposalResource(uri, { id: reviewId, uri: file, cliName }, { draft: { id, revision }, text, edited: true });
    }

    /** Also before the first hello. */
    protected read<T>(call: () => Promise<T>, whatFailed: string): Promise<T> {
        const limit = BEFORE_LAYOUT.includes(this.appState.state) ? RESTORE_LIMIT : READ_LIMIT;
        const answer = this.connection.ready.then(() => this.connection.ask(call, limit, whatFailed));
        return withTimeLimit(answer, limit, whatFailed);
    }
}
