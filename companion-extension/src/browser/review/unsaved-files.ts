// SPDX-License-Identifier: Apache-2.0

import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';

/** Which files are open in an editor with changes that are not saved. */
@injectable()
export class UnsavedFiles {
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;

    protected readonly changed = new Emitter<string>();
    /** Fires with the file's URI. */
    readonly onDidChange = this.changed.event;

    @postConstruct()
    protected init(): void {
        this.models.models.forEach(model => this.track(model));
        this.models.onDidCreate(model => this.track(model));
    }

    isUnsaved(uri: string): boolean {
        return this.models.get(uri)?.dirty ?? false;
    }

    protected track(model: MonacoEditorModel): void {
        const { uri } = model;
        if (!uri.startsWith('file:')) {
            return;
        }
        const toDispose = new DisposableCollection();
        toDispose.push(model.onDirtyChanged(() => this.changed.fire(uri)));
        toDispose.push(
            model.onWillDispose(() => {
                toDispose.dispose();
                this.changed.fire(uri);
            })
        );
    }
}
