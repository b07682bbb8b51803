// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { OriginalContents } from '../review/original-contents';
import { ChangeUris } from './change-uris';
import { PageChanges } from './page-changes';

/** The left side of a change's diff: the text that the user last knew. Without a row it is the file, so that nothing differs. */
export class BaselineResource implements Resource {
    readonly readOnly = true;
    readonly autosaveable = false;

    protected readonly onDidChangeContentsEmitter = new Emitter<void>();
    readonly onDidChangeContents = this.onDidChangeContentsEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeContentsEmitter);
    /** Of the row whose text was read. */
    protected readVersion: number | undefined;

    constructor(
        readonly uri: URI,
        protected readonly changes: PageChanges,
        protected readonly contents: OriginalContents
    ) {
        this.toDispose.push(
            changes.onDidChange(() => {
                if (changes.find(this.file.toString())?.version !== this.readVersion) {
                    this.onDidChangeContentsEmitter.fire();
                }
            })
        );
    }

    async readContents(): Promise<string> {
        if (ChangeUris.isNoFile(this.uri)) {
            return '';
        }
        this.readVersion = this.changes.find(this.file.toString())?.version;
        const baseline = await this.changes.readBaseline(this.file.toString());
        return baseline?.shown ?? (await this.contents.read(this.file)).text;
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected get file(): URI {
        return ChangeUris.fileOf(this.uri);
    }
}
