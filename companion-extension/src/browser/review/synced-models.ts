// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { TheiaInternals } from '../window/theia-internals';

/** The version that `MonacoEditorModel` compares to tell whether it is dirty. It is protected. */
interface SavedVersion {
    bufferSavedVersionId: number;
}

/**
 * Makes undo after an accept count as a change. When a file changes on disk, Theia (1.74) takes its text over into a clean model, and keeps
 * the number of the text before as the saved one (`MonacoEditorModel.doSync`). Undo comes back to that number: the editor shows the old text
 * as saved, and never saves it. `docs/theia-workarounds.md` has the change for Theia.
 */
@injectable()
export class SyncedModels implements FrontendApplicationContribution {
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;

    @inject(TheiaInternals)
    protected readonly internals: TheiaInternals;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.models.models.forEach(model => this.follow(model));
        this.toDispose.push(this.models.onDidCreate(model => this.follow(model)));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected follow(model: MonacoEditorModel): void {
        if (model.uri.startsWith('file:')) {
            model.onDidChangeContent(() => {
                // Whatever a user types makes it dirty before this event. So it has been synced with the disk.
                if (!model.dirty && this.internals.has(model, 'bufferSavedVersionId', 'MonacoEditorModel.bufferSavedVersionId')) {
                    (model as unknown as SavedVersion).bufferSavedVersionId = model.textEditorModel.getAlternativeVersionId();
                }
            });
        }
    }
}
