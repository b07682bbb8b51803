// SPDX-License-Identifier: Apache-2.0

import { Resource } from '@theia/core/lib/common/resource';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { MonacoToProtocolConverter } from '@theia/monaco/lib/browser/monaco-to-protocol-converter';
import { ProtocolToMonacoConverter } from '@theia/monaco/lib/browser/protocol-to-monaco-converter';

// Monaco's services ask for these when the first model is made, and have a timer that would keep the tests from ending.
Object.assign(globalThis, { CSS: { escape: (name: string) => name } });
Object.assign(window, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    setInterval: (run: () => void, pauseMs: number) => setInterval(run, pauseMs).unref(),
    clearInterval
});

type ModelClass<T> = new (resource: Resource, m2p: MonacoToProtocolConverter, p2m: ProtocolToMonacoConverter) => T;

/** Theia's model of a text, over Monaco's own. Import `./dom` before it. */
export async function monacoModel<T extends MonacoEditorModel>(Model: ModelClass<T>, resource: Resource): Promise<T> {
    const model = new Model(resource, new MonacoToProtocolConverter(), new ProtocolToMonacoConverter());
    await model.load();
    return model;
}

/** Types at the end, as one step for undo. */
export function typeAtEnd({ textEditorModel }: MonacoEditorModel, text: string): void {
    const { endLineNumber, endColumn } = textEditorModel.getFullModelRange();
    const range = { startLineNumber: endLineNumber, startColumn: endColumn, endLineNumber, endColumn };
    textEditorModel.pushStackElement();
    textEditorModel.pushEditOperations([], [{ range, text }], () => null);
    textEditorModel.pushStackElement();
}
