// SPDX-License-Identifier: Apache-2.0

import { AIContextVariable, AIVariableResolutionRequest, ResolvedAIContextVariable } from '@theia/ai-core/lib/common';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { EditorContext, EditorContextText } from '../../common/editor-context';

export const EditorContextSource = Symbol('EditorContextSource');
/** What may be told of the editor now, under the companion's filter, exclusions and pause. */
export interface EditorContextSource {
    readonly current: EditorContext | undefined;
    readonly onDidChange: Event<void>;
}

/** Stands as a chip at the chat's input. Its value is that of the moment when the message is sent. */
export const EDITOR_VARIABLE: AIContextVariable = {
    id: 'qwen-daemon-editor',
    name: 'qwenEditor',
    label: nls.localize('theia/qwen-daemon/editor/label', 'Active editor'),
    description: nls.localize('theia/qwen-daemon/editor/description', 'Shares the active file, the cursor and the selection with Qwen'),
    iconClasses: ['codicon', 'codicon-go-to-file'],
    isContextVariable: true
};

export function isEditorVariable(element: unknown): boolean {
    return AIVariableResolutionRequest.is(element) && element.variable.id === EDITOR_VARIABLE.id;
}

export function resolvedEditor(context: EditorContext | undefined): ResolvedAIContextVariable {
    return {
        variable: EDITOR_VARIABLE,
        value: context?.path ?? '',
        contextValue: context ? EditorContextText.create(context).trim() : ''
    };
}

/** E.g. `greeting.js, line 3` or `greeting.js, 2 lines selected`. */
export function editorLabel({ path, cursor, selectedText }: EditorContext): string {
    const name = path.split(/[\\/]/).pop() ?? path;
    if (selectedText) {
        const count = selectedText.split('\n').length;
        return count === 1
            ? nls.localize('theia/qwen-daemon/editor/selection', '{0}, selection in line {1}', name, cursor?.line ?? '?')
            : nls.localize('theia/qwen-daemon/editor/lines', '{0}, {1} lines selected', name, count);
    }
    return cursor ? nls.localize('theia/qwen-daemon/editor/cursor', '{0}, line {1}', name, cursor.line) : name;
}
