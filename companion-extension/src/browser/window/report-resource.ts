// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';

/** A report in a read-only editor. It is read again when something that it is about has changed. */
export class ReportResource implements Resource {
    readonly readOnly = true;
    readonly autosaveable = false;
    protected readonly onDidChangeContentsEmitter = new Emitter<void>();
    readonly onDidChangeContents = this.onDidChangeContentsEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeContentsEmitter);

    constructor(
        readonly uri: URI,
        readonly readContents: () => Promise<string>,
        ...changes: Array<Event<unknown>>
    ) {
        this.toDispose.pushAll(changes.map(change => change(() => this.onDidChangeContentsEmitter.fire())));
    }

    dispose(): void {
        this.toDispose.dispose();
    }
}
