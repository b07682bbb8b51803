// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationState, FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorPreferences } from '@theia/editor/lib/common/editor-preferences';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoToProtocolConverter } from '@theia/monaco/lib/browser/monaco-to-protocol-converter';
import { ProtocolToMonacoConverter } from '@theia/monaco/lib/browser/protocol-to-monaco-converter';
import { ReviewBackend } from '../../common/review-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { ReadOnlyResource } from '../window/read-only-resource';
import { FileEncodings } from '../diff/file-encodings';
import { OriginalContents } from '../diff/original-contents';
import { OriginalFile } from '../diff/original-file';
import { OriginalModel } from './original-model';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { EDITED_SCHEME, ORIGINAL_SCHEME, PROPOSED_SCHEME, ReviewUris } from './review-uris';
import { ProposalModel } from './proposal-model';
import { ProposalResource } from './proposal-resource';

/** For the hello, which may take 10 s, and a proposal together, in milliseconds. */
const READ_LIMIT_MS = 20_000;
/**
 * The same while the layout is restored: Theia shows no window before every tab is. If a tab is given up, its review opens as soon as the
 * backend lists it.
 */
const RESTORE_LIMIT_MS = 3_000;
const BEFORE_LAYOUT: readonly FrontendApplicationState[] = ['init', 'started_contributions', 'attached_shell'];

/** Makes the models of both sides. */
@injectable()
export class ReviewModelFactory {
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
        const Model = resource instanceof ProposalResource ? ProposalModel : OriginalModel;
        return new Model(resource, this.m2p, this.p2m, this.logger, this.editorPreferences);
    }
}

/**
 * Makes both sides of a diff from their URIs, also of the diffs that Theia restores after a reload. It does not resolve a review that no longer
 * waits: Theia then drops the tab.
 */
@injectable()
export class ReviewResourceResolver implements ResourceResolver {
    @inject(ReviewBackend)
    protected readonly backend: ReviewBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(OriginalContents)
    protected readonly contents: OriginalContents;
    @inject(FileEncodings)
    protected readonly encodings: FileEncodings;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    async resolve(uri: URI): Promise<Resource> {
        switch (uri.scheme) {
            case ORIGINAL_SCHEME: {
                const known = this.reviews.get(uri.authority)?.info?.uri;
                return this.createOriginal(uri, known ? new URI(known) : ReviewUris.fileOf(uri));
            }
            case PROPOSED_SCHEME: {
                const { text, isReadOnly } = await this.resolveReview(uri);
                return new ProposalResource(uri, text, isReadOnly);
            }
            case EDITED_SCHEME: {
                // It never changes.
                const text = await this.readEdit(uri.authority);
                return new ReadOnlyResource(uri, async () => text);
            }
            default:
                throw new Error(`Not a review: '${uri.toString()}'`);
        }
    }

    /**
     * The file on disk. A `file:` URI would not do: it is editable in a diff, shares the buffer of an open editor, and fails for a new
     * file.
     */
    protected createOriginal(uri: URI, file: URI): Resource {
        const { contents, files, encodings, reviews } = this;
        const { authority: reviewId } = uri;
        let read: OriginalFile | undefined;
        let shown: OriginalFile | undefined;
        const resource = new ReadOnlyResource(
            uri,
            async () => (read = await contents.read(file)).text,
            Event.filter(files.onDidFilesChange, event => event.contains(file)),
            Event.filter(encodings.onDidChoose, chosen => chosen.isEqual(file))
        );
        // Theia does not watch files outside the workspace by itself.
        resource.toDispose.pushAll([files.watch(file), Disposable.create(() => reviews.hideLeft(reviewId, shown))]);
        resource.markShown = () => {
            shown = read;
            if (shown) {
                reviews.showLeft(reviewId, shown);
            }
        };
        return resource;
    }

    protected async resolveReview(uri: URI): Promise<PageReview> {
        const { authority: reviewId } = uri;
        // Otherwise Theia opens it by itself, as a closed editor that is opened again, and tells nobody if that fails.
        const isOurs = this.reviews.get(reviewId)?.view === 'opening';
        const about = this.reviews.get(reviewId)?.text.about ?? { reviewId, uri: ReviewUris.fileOf(uri).toString(), cliName: '' };
        const resolved = new Promise<PageReview | undefined>(reply => this.reviews.resolve(about, reply));
        try {
            const review = await withTimeLimit(resolved, this.limitMs, 'The proposal could not be read in time.');
            if (!review) {
                throw new Error('The review is no longer waiting.');
            }
            return review;
        } catch (error) {
            if (!isOurs) {
                this.reviews.markFailed(
                    reviewId,
                    this.isRestoring || !this.connection.connected ? undefined : String((error as Error).message)
                );
            }
            throw error;
        }
    }

    protected async readEdit(id: string): Promise<string> {
        const failed = 'The edits could not be read in time.';
        // Also before the first hello.
        const answer = this.connection.ready.then(() => this.connection.ask(() => this.backend.readEdit(id), this.limitMs, failed));
        const text = await withTimeLimit(answer, this.limitMs, failed);
        if (typeof text !== 'string') {
            throw new Error('The edits are not kept any more.');
        }
        return text;
    }

    protected get limitMs(): number {
        return this.isRestoring ? RESTORE_LIMIT_MS : READ_LIMIT_MS;
    }

    protected get isRestoring(): boolean {
        return BEFORE_LAYOUT.includes(this.appState.state);
    }
}
