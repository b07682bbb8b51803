// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { SelectionService } from '@theia/core/lib/common/selection-service';
import { URI } from '@theia/core/lib/common/uri';
import { TextEditor } from '@theia/editor/lib/browser/editor';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';

/** Theia's widget around an editor without Monaco. Import `./dom` before it. */
export function editorWidget(uri: URI, editor: Partial<TextEditor> = {}): EditorWidget {
    const fake = {
        node: document.createElement('div'),
        uri,
        getResourceUri: () => uri,
        isFocused: () => false,
        isReadonly: false,
        onSelectionChanged: Event.None,
        onFocusChanged: Event.None,
        onCursorPositionChanged: Event.None,
        onDidChangeReadOnly: Event.None,
        handleVisibilityChanged: () => undefined,
        refresh: () => undefined,
        dispose: () => undefined,
        ...editor
    };
    const widget = new EditorWidget(fake as unknown as TextEditor, new SelectionService());
    widget.id = uri.toString();
    return widget;
}
