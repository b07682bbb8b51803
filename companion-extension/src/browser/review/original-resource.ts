// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { FileEncodings } from './file-encodings';
import { OriginalContents } from './original-contents';

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
        files: FileService,
        encodings: FileEncodings
    ) {
        this.toDispose.pushAll([
            // Theia does not watch files outside the workspace by itself.
            files.watch(file),
            files.onDidFilesChange(event => event.contains(file) && this.onDidChangeContentsEmitter.fire()),
            encodings.onDidChoose(chosen => chosen.isEqual(file) && this.onDidChangeContentsEmitter.fire()),
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
