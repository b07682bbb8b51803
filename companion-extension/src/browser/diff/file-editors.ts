// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell } from '@theia/core/lib/browser';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { EndOfLinePreference } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { FileLooks } from './file-looks';

/** Puts texts into the files' own editors, which are dirty then: the user saves them, or Theia's auto-save does. */
@injectable()
export class FileEditors {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(FileLooks)
    protected readonly looks: FileLooks;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;

    /** The file's own editor. Theia (1.74) does not find one by itself that has been hidden since the page was loaded. */
    find(file: URI): EditorWidget | undefined {
        return this.editors.all.find(({ editor }) => editor.uri.isEqual(file));
    }

    /** Replaces the file's text, as one step for undo, and gives its editor the keyboard. @returns whether it was replaced */
    async replace(file: URI, text: string, mayReplace: (file: MonacoEditorModel) => Promise<boolean>): Promise<boolean> {
        if (!(await this.looks.isReadable(file, text))) {
            return false;
        }
        const reference = await this.models.createModelReference(file);
        try {
            // File systems do not report every change.
            await reference.object.sync();
            let asked: string;
            do {
                asked = textOf(reference.object);
                if (!(await mayReplace(reference.object))) {
                    return false;
                }
                // Before the text: Theia (1.74) opens an editor for whatever becomes dirty without one, which would be a second one.
                const open = this.find(file);
                await (open ? this.shell.activateWidget(open.id) : this.editors.open(file, { mode: 'activate' }));
                // On a slow line that takes long: what came meanwhile nobody was asked about.
            } while (textOf(reference.object) !== asked);
            const { textEditorModel } = reference.object;
            textEditorModel.pushStackElement();
            // The byte order mark is the file's: Theia writes it by itself.
            const edit = { range: textEditorModel.getFullModelRange(), text: text.replace(/^\uFEFF/, '') };
            textEditorModel.pushEditOperations([], [edit], () => null);
            textEditorModel.pushStackElement();
            return true;
        } finally {
            reference.dispose();
        }
    }
}

/** Text that is put into a model gets the line endings of the model, and loses its byte order mark. */
export function textOf({ textEditorModel }: MonacoEditorModel): string {
    return textEditorModel.getValue(EndOfLinePreference.LF);
}
