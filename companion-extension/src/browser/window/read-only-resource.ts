// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';

/** A text in a read-only editor. It is read again when something that it is about has changed. */
export class ReadOnlyResource implements Resource {
    readonly readOnly = true;
    readonly autosaveable = false;
    readonly toDispose: DisposableCollection;
    readonly onDidChangeContents: Event<void>;
    /** A model that says so calls it when it has what was read last. */
    markShown: () => void = () => undefined;

    constructor(
        readonly uri: URI,
        readonly readContents: () => Promise<string>,
        ...changes: Array<Event<unknown>>
    ) {
        const emitter = new Emitter<void>();
        this.onDidChangeContents = emitter.event;
        this.toDispose = new DisposableCollection(emitter, ...changes.map(change => change(() => emitter.fire())));
    }

    dispose(): void {
        this.toDispose.dispose();
    }
}
