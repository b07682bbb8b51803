// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { ReviewContent, ReviewInfo, TextVersion } from '../../common/companion-protocol';
import { OriginalContents } from './original-contents';
import { EditableText } from './proposal-text';

/** The file on disk, read-only. A `file:` URI would be editable in a diff, share the buffer of an open editor, and fail for a new file. */
export class OriginalResource implements Resource {
    readonly readOnly = true;
    readonly autosaveable = false;

    protected readonly changed = new Emitter<void>();
    readonly onDidChangeContents = this.changed.event;
    protected readonly toDispose = new DisposableCollection(this.changed);

    constructor(
        readonly uri: URI,
        protected readonly review: ReviewInfo,
        protected readonly contents: OriginalContents,
        files: FileService
    ) {
        const file = new URI(review.uri);
        this.toDispose.pushAll([
            // Files outside the workspace are not watched otherwise.
            files.watch(file),
            files.onDidFilesChange(event => event.contains(file) && this.changed.fire())
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

/** The proposal. It cannot be saved: the CLI writes the file, after the user has accepted. */
export class ProposalResource implements Resource {
    readonly autosaveable = false;

    protected content: EditableText;
    protected currentVersion: TextVersion;

    constructor(
        readonly uri: URI,
        { text, edited, review }: ReviewContent
    ) {
        this.content = { text, edited };
        this.currentVersion = review.version;
    }

    /** The text was typed by the user before the page read it. */
    get edited(): boolean {
        return this.content.edited;
    }

    /** The state of the text in the backend that this page has seen. */
    get version(): TextVersion {
        return this.currentVersion;
    }

    see(version: TextVersion): void {
        this.currentVersion = version;
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
