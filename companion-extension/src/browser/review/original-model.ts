// SPDX-License-Identifier: Apache-2.0

import { CancellationToken } from '@theia/core/lib/common/cancellation';
import { ITextBufferFactory } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { ReadOnlyResource } from '../window/read-only-resource';

/** The left side. Says what it shows once it does: Theia (1.74) drops what it has read if the file has changed again meanwhile. */
export class OriginalModel extends MonacoEditorModel {
    protected override initialize(value: string | ITextBufferFactory): void {
        super.initialize(value);
        if (!this.isDisposed()) {
            this.original.markShown();
        }
    }

    protected override async doSync(token: CancellationToken): Promise<void> {
        await super.doSync(token);
        if (!token.isCancellationRequested) {
            this.original.markShown();
        }
    }

    protected get original(): ReadOnlyResource {
        return this.resource as ReadOnlyResource;
    }
}
