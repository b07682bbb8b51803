// SPDX-License-Identifier: Apache-2.0

import type { z } from 'zod/v4';
import type { PagePayloads } from './page-payloads';

/**
 * The editors as the CLIs take them: the parameters of the `ide/contextUpdate` notification (specification, section II). Absent values are
 * left out: `null` fails the CLIs' schema and disconnects them (seen with Gemini CLI 0.61 and Qwen Code 0.24).
 */
export type IdeContext = z.infer<typeof PagePayloads.context>['context'];

export type IdeContextFile = NonNullable<NonNullable<IdeContext['workspaceState']>['openFiles']>[number];

/** The context without cursor and selection; the same object if it has none. */
export function withoutSelection(context: IdeContext): IdeContext {
    const { openFiles = [], ...state } = context.workspaceState ?? {};
    const isKnown = ({ cursor, selectedText, selection }: IdeContextFile): boolean => Boolean(cursor ?? selectedText ?? selection);
    if (!openFiles.some(isKnown)) {
        return context;
    }
    const files = openFiles.map(({ cursor: _, selectedText: _text, selection: _selection, ...file }) => file);
    return { ...context, workspaceState: { ...state, openFiles: files } };
}
