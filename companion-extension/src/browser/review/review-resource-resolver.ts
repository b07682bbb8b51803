// SPDX-License-Identifier: Apache-2.0

import { EncodingRegistry } from '@theia/core/lib/browser/encoding-registry';
import { FrontendApplicationState, FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { FileService, TextFileOperationError } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { FileSystemPreferences } from '@theia/filesystem/lib/common/filesystem-preferences';
import { CompanionBackend, DraftRef, ReviewContent, ReviewInfo } from '../../common/companion-protocol';
import { BackendReader } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { PageReviews } from './page-reviews';
import { ProposalResource, Proposed } from './proposal-model';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';
import { decodeUtf8 } from './utf8';

/** What a decoder writes for bytes that are not text. */
export const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * How the left side differs from the file as it was when the CLI asked:
 * - `changed`, `created`, `vanished`: somebody wrote, made or removed the file since
 * - `notUtf8`: some characters are shown as {@link REPLACEMENT_CHARACTER}
 * - `binary`, `tooLarge`, `directory`, `unreadable`: it is not shown
 */
export interface OriginalDifference {
    readonly kind: 'changed' | 'created' | 'vanished' | 'notUtf8' | 'binary' | 'tooLarge' | 'directory' | 'unreadable';
    /** What the system says, with `unreadable`. */
    readonly cause?: string;
}

/** The left side is empty then, or wrong. */
export const NOT_SHOWN: ReadonlyArray<OriginalDifference['kind']> = ['binary', 'tooLarge', 'directory', 'unreadable', 'notUtf8'];

/** What the left side needs of a review, or of a kept draft. */
type OriginalFile = Pick<ReviewInfo, 'id' | 'uri' | 'modifiedAt'>;

export interface OriginalContent {
    readonly text: string;
    readonly differences: readonly OriginalDifference[];
}

/** In milliseconds: a large file takes long on a slow line. */
const FILE_LIMIT = 60_000;

/** Reads the left sides, and notes how one differs from the file as it was when the CLI asked. */
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

    /** The left sides that editors show, by the review's id. */
    protected readonly shown = new Map<string, OriginalResource>();
    protected readonly onDidChangeDifferencesEmitter = new Emitter<string>();
    /** Fires with the review's id. */
    readonly onDidChangeDifferences = this.onDidChangeDifferencesEmitter.event;

    /** Empty if the left side shows the file as it was when the CLI asked. */
    differencesOf(reviewId: string): readonly OriginalDifference[] {
        return this.shown.get(reviewId)?.differences ?? [];
    }

    /** An editor shows this left side, until the result is disposed. */
    follow(resource: OriginalResource): Disposable {
        const { id } = resource.review;
        this.shown.set(id, resource);
        return new DisposableCollection(
            resource.onDidChangeDifferences(() => this.onDidChangeDifferencesEmitter.fire(id)),
            Disposable.create(() => this.shown.delete(id))
        );
    }

    /** The text is empty for a new file, and for one that cannot be shown. Never rejects. */
    async read(review: OriginalFile): Promise<OriginalContent> {
        try {
            const file = new URI(review.uri);
            const limits = { size: this.preferences['files.maxFileSizeMB'] * 1024 * 1024 };
            const { value: bytes, mtime } = await this.ask(() => this.files.readFile(file, { limits }));
            const plain = decodeUtf8(bytes.buffer);
            // Theia decodes in JavaScript, which takes 30 times as long as the browser.
            const { value, encoding } =
                plain !== undefined && this.expectsUtf8(file)
                    ? { value: plain, encoding: UTF8 }
                    : await this.ask(() => this.files.read(file, { acceptTextOnly: true }));
            const differences: OriginalDifference[] = [];
            if (mtime !== undefined && mtime !== review.modifiedAt) {
                differences.push({ kind: review.modifiedAt === undefined ? 'created' : 'changed' });
            }
            // The file itself may hold the character.
            const isUtf8 = encoding.startsWith(UTF8) && plain !== undefined;
            if (!isUtf8 && value.includes(REPLACEMENT_CHARACTER)) {
                differences.push({ kind: 'notUtf8' });
            }
            return { text: value, differences };
        } catch (error) {
            return { text: '', differences: this.explain(review, error) };
        }
    }

    /** Theia loses what is read while the socket is down: it would never come. */
    protected ask<T>(read: () => Promise<T>): Promise<T> {
        return this.connection.ask(read, FILE_LIMIT, 'The file could not be read in time.');
    }

    protected expectsUtf8(file: URI): boolean {
        return !this.preferences['files.autoGuessEncoding'] && this.encodings.getEncodingForResource(file).startsWith(UTF8);
    }

    protected explain(review: OriginalFile, error: unknown): OriginalDifference[] {
        if (error instanceof TextFileOperationError) {
            return [{ kind: 'binary' }];
        }
        const result = error instanceof FileOperationError ? error.fileOperationResult : FileOperationResult.FILE_OTHER_ERROR;
        switch (result) {
            case FileOperationResult.FILE_NOT_FOUND:
                return review.modifiedAt === undefined ? [] : [{ kind: 'vanished' }];
            case FileOperationResult.FILE_TOO_LARGE:
            case FileOperationResult.FILE_EXCEEDS_MEMORY_LIMIT:
                return [{ kind: 'tooLarge' }];
            case FileOperationResult.FILE_IS_DIRECTORY:
                return [{ kind: 'directory' }];
            default:
                return [{ kind: 'unreadable', cause: error instanceof Error ? error.message : String(error) }];
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
    protected readonly onDidChangeDifferencesEmitter = new Emitter<void>();
    readonly onDidChangeDifferences = this.onDidChangeDifferencesEmitter.event;
    /** How the text that was read last differs from the file as it was when the CLI asked. */
    differences: readonly OriginalDifference[] = [];
    /** What {@link startReading} reads, until it is asked for or the file changes. */
    protected reading: Promise<OriginalContent> | undefined;

    constructor(
        readonly uri: URI,
        readonly review: OriginalFile,
        protected readonly contents: OriginalContents,
        files: FileService
    ) {
        const file = new URI(review.uri);
        this.toDispose.pushAll([
            this.onDidChangeDifferencesEmitter,
            contents.follow(this),
            // Theia does not watch files outside the workspace by itself.
            files.watch(file),
            files.onDidFilesChange(event => event.contains(file) && this.changed())
        ]);
    }

    /** Reads the file before it is asked for. */
    startReading(): void {
        this.reading = this.contents.read(this.review);
    }

    async readContents(): Promise<string> {
        const reading = this.reading ?? this.contents.read(this.review);
        this.reading = undefined;
        const { text, differences } = await reading;
        if (JSON.stringify(this.differences) !== JSON.stringify(differences)) {
            this.differences = differences;
            this.onDidChangeDifferencesEmitter.fire();
        }
        return text;
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected changed(): void {
        this.reading = undefined;
        this.onDidChangeContentsEmitter.fire();
    }
}

const BEFORE_LAYOUT: readonly FrontendApplicationState[] = ['init', 'started_contributions', 'attached_shell'];

/**
 * Makes both sides of a review's diff from their URIs. It asks the backend for the content, so that the diffs that Theia restores after a
 * reload show their proposal again. It does not resolve a review that no longer waits: Theia then drops the tab.
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

    protected reader: BackendReader;
    /** What came with the request to show a review, by the review's id. */
    protected readonly expected = new Map<string, ReviewContent>();

    @postConstruct()
    protected init(): void {
        this.reader = new BackendReader({
            connection: this.connection,
            restoring: () => BEFORE_LAYOUT.includes(this.appState.state)
        });
    }

    async resolve(uri: URI): Promise<Resource> {
        const draft = ReviewUris.draftOf(uri);
        if (draft) {
            return new ProposalResource(uri, await this.readDraft(draft));
        }
        const file = ReviewUris.fileBesideEdited(uri);
        if (file) {
            return new OriginalResource(uri, { id: uri.authority, uri: file.toString() }, this.contents, this.files);
        }
        const reviewId = ReviewUris.reviewIdOf(uri);
        if (reviewId === undefined) {
            throw new Error(`Not a review: '${uri.toString()}'`);
        }
        return uri.scheme === PROPOSED_SCHEME
            ? new ProposalResource(uri, await this.readProposal(reviewId))
            : this.resolveOriginal(uri, reviewId);
    }

    /** This content is there already: until the result is disposed, the backend is not asked for it. */
    expect(content: ReviewContent): Disposable {
        const { id } = content.review;
        this.expected.set(id, content);
        return Disposable.create(() => this.expected.delete(id));
    }

    protected async resolveOriginal(uri: URI, reviewId: string): Promise<OriginalResource> {
        const known = this.reviews.isWaiting(reviewId) ? this.reviews.infoOf(reviewId) : undefined;
        const early = known && new OriginalResource(uri, known, this.contents, this.files);
        // The file is read while the proposal is on its way.
        early?.startReading();
        try {
            const { review } = await this.readProposal(reviewId);
            return early ?? new OriginalResource(uri, review, this.contents, this.files);
        } catch (error) {
            early?.dispose();
            throw error;
        }
    }

    protected async readProposal(reviewId: string): Promise<ReviewContent> {
        const read = (): Promise<ReviewContent | undefined> => this.backend.readReview(reviewId);
        const content = this.expected.get(reviewId) ?? (await this.reader.read(reviewId, read, 'The proposal could not be read in time.'));
        if (!content) {
            throw new Error('The review is no longer waiting.');
        }
        return content;
    }

    protected async readDraft(draft: DraftRef): Promise<{ review: Proposed; text: string; edited: boolean }> {
        const read = (): Promise<string | undefined> => this.backend.readDraft(draft.id);
        const text = await this.reader.read(`edit ${draft.id}`, read, 'The edits could not be read in time.');
        const kept = this.connection.state?.keptDrafts.find(({ id }) => id === draft.id);
        if (typeof text !== 'string' || !kept) {
            throw new Error('The edits are not kept any more.');
        }
        const { id, revision } = kept;
        return { review: { id: kept.reviewId, uri: kept.uri, cliName: kept.cliName, draft: { id, revision } }, text, edited: true };
    }
}
