// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { OriginalFile } from '../diff/original-file';
import { ReadOnlyResource } from '../window/read-only-resource';

/** The file on disk, as the left side of a review. */
export class OriginalResource extends ReadOnlyResource {
    protected readonly last: { file?: OriginalFile };

    /**
     * @param read the file; never rejects
     * @param show called with the file whose text the editor has now
     * @param changes after them it is read again
     */
    constructor(
        uri: URI,
        read: () => Promise<OriginalFile>,
        protected readonly show: (file: OriginalFile) => void,
        ...changes: Array<Event<unknown>>
    ) {
        const last: { file?: OriginalFile } = {};
        super(uri, async () => (last.file = await read()).text, ...changes);
        this.last = last;
    }

    /** What was read last. The editor's model may not have it yet. */
    get file(): OriginalFile | undefined {
        return this.last.file;
    }

    /** The editor's model has it. */
    markShown(): void {
        if (this.file && !this.toDispose.disposed) {
            this.show(this.file);
        }
    }
}
