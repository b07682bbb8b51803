// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationState, FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { FileService, TextFileOperationError } from '@theia/filesystem/lib/browser/file-service';
import { FileOperationError, FileOperationResult } from '@theia/filesystem/lib/common/files';
import { CompanionBackend, ReviewContent, ReviewInfo } from '../../common/companion-protocol';
import { BackendReader } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { ProposalResource } from './proposal-model';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';

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

/** Reads the left sides, and notes how one differs from the file as it was when the CLI asked. */
@injectable()
export class OriginalContents {
    @inject(FileService)
    protected readonly files: FileService;

    protected readonly differences = new Map<string, readonly OriginalDifference[]>();
    protected readonly onDidChangeDifferencesEmitter = new Emitter<string>();
    /** Fires with the review's id. */
    readonly onDidChangeDifferences = this.onDidChangeDifferencesEmitter.event;

    /** Empty if the left side shows the file as it was when the CLI asked. */
    differencesOf(reviewId: string): readonly OriginalDifference[] {
        return this.differences.get(reviewId) ?? [];
    }

    /** The file is not as it was when the CLI asked. */
    hasChanged(reviewId: string): boolean {
        return this.differencesOf(reviewId).some(({ kind }) => kind === 'changed' || kind === 'created' || kind === 'vanished');
    }

    /** The file's text; empty for a new file, and for one that cannot be shown. Never rejects. */
    async read(review: ReviewInfo): Promise<string> {
        try {
            const file = new URI(review.uri);
            const { value, mtime, encoding } = await this.files.read(file, { acceptTextOnly: true });
            const differences: OriginalDifference[] = [];
            if (mtime !== undefined && mtime !== review.modifiedAt) {
                differences.push({ kind: review.modifiedAt === undefined ? 'created' : 'changed' });
            }
            if (value.includes(REPLACEMENT_CHARACTER) && !(encoding.startsWith(UTF8) && (await this.isUtf8(file)))) {
                differences.push({ kind: 'notUtf8' });
            }
            this.setDifferences(review.id, differences);
            return value;
        } catch (error) {
            this.setDifferences(review.id, this.explain(review, error));
            return '';
        }
    }

    forget(reviewId: string): void {
        this.differences.delete(reviewId);
    }

    /** Whether the file itself holds the replacement character. */
    protected async isUtf8(file: URI): Promise<boolean> {
        try {
            new TextDecoder('utf-8', { fatal: true }).decode((await this.files.readFile(file)).value.buffer);
            return true;
        } catch {
            return false;
        }
    }

    protected explain(review: ReviewInfo, error: unknown): OriginalDifference[] {
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

    protected setDifferences(reviewId: string, differences: readonly OriginalDifference[]): void {
        if (JSON.stringify(this.differencesOf(reviewId)) !== JSON.stringify(differences)) {
            this.differences.set(reviewId, differences);
            this.onDidChangeDifferencesEmitter.fire(reviewId);
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
        protected readonly review: ReviewInfo,
        protected readonly contents: OriginalContents,
        files: FileService
    ) {
        const file = new URI(review.uri);
        this.toDispose.pushAll([
            // Theia does not watch files outside the workspace by itself.
            files.watch(file),
            files.onDidFilesChange(event => event.contains(file) && this.onDidChangeContentsEmitter.fire())
        ]);
    }

    readContents(): Promise<string> {
        return this.contents.read(this.review);
    }

    dispose(): void {
        this.toDispose.dispose();
        this.contents.forget(this.review.id);
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
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    protected reader: BackendReader;

    @postConstruct()
    protected init(): void {
        this.reader = new BackendReader({
            connection: this.connection,
            restoring: () => BEFORE_LAYOUT.includes(this.appState.state)
        });
    }

    async resolve(uri: URI): Promise<Resource> {
        const editId = ReviewUris.editedIdOf(uri);
        if (editId !== undefined) {
            const text = await this.readEdit(editId);
            return { uri, readOnly: true, autosaveable: false, readContents: async () => text, dispose: () => undefined };
        }
        const reviewId = ReviewUris.reviewIdOf(uri);
        if (reviewId === undefined) {
            throw new Error(`Not a review: '${uri.toString()}'`);
        }
        const content = await this.readProposal(reviewId);
        return uri.scheme === PROPOSED_SCHEME
            ? new ProposalResource(uri, content)
            : new OriginalResource(uri, content.review, this.contents, this.files);
    }

    protected async readProposal(reviewId: string): Promise<ReviewContent> {
        const read = (): Promise<ReviewContent | undefined> => this.backend.readReview(reviewId);
        const content = await this.reader.read(reviewId, read, 'The proposal could not be read in time.');
        if (!content) {
            throw new Error('The review is no longer waiting.');
        }
        return content;
    }

    protected async readEdit(id: string): Promise<string> {
        const read = (): Promise<string | undefined> => this.backend.readDroppedEdit(id);
        const text = await this.reader.read(`edit ${id}`, read, 'The edits could not be read in time.');
        if (typeof text !== 'string') {
            throw new Error('The edits are not kept any more.');
        }
        return text;
    }
}
