// SPDX-License-Identifier: Apache-2.0

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { FileDiagnostics } from '../../common/companion-protocol';
import { CompanionTool, failure } from '../mcp/tool-server';

/** What the user decided, as the CLI reads it, or why nobody could be asked. */
export type DiffAnswer = { readonly texts: readonly string[] } | { readonly problem: string };

/** The work of one session's tools. */
export interface ClaudeToolHandler {
    /** Answers when the user has decided, or when nobody is asked any more. */
    openDiff(tabName: string, filePath: string, newContent: string): Promise<DiffAnswer>;
    /** The user has answered in the terminal, or had answered before. */
    closeTab(tabName: string): Promise<void>;
    /** @returns how many were open */
    closeAllTabs(): Promise<number>;
    /** @param uri of the one file; of all files if it is left out */
    diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]>;
}

const openDiffSchema = z.object({
    old_file_path: z.string().describe('Absolute path of the file on disk'),
    new_file_path: z.string().describe('Absolute path of the file to write'),
    new_file_contents: z.string().describe('The whole proposed content of the file'),
    tab_name: z.string().describe('Names the diff in later calls')
});

const openDiff: CompanionTool<ClaudeToolHandler, z.infer<typeof openDiffSchema>> = {
    name: 'openDiff',
    description: 'Opens a diff view in the IDE and answers when the user has accepted or rejected it.',
    schema: openDiffSchema,
    async call(args, session) {
        const answer = await session.openDiff(args.tab_name, args.new_file_path, args.new_file_contents);
        return 'problem' in answer ? failure(answer.problem) : texts(...answer.texts);
    }
};

const closeTabSchema = z.object({ tab_name: z.string().describe('As it was given to openDiff') });

const closeTab: CompanionTool<ClaudeToolHandler, z.infer<typeof closeTabSchema>> = {
    name: 'close_tab',
    description: 'Closes a diff view.',
    schema: closeTabSchema,
    async call({ tab_name }, session) {
        await session.closeTab(tab_name);
        return texts('TAB_CLOSED');
    }
};

const closeAllDiffTabs: CompanionTool<ClaudeToolHandler> = {
    name: 'closeAllDiffTabs',
    description: 'Closes all diff views of this session.',
    schema: z.object({}),
    call: async (_, session) => texts(`CLOSED_${await session.closeAllTabs()}_DIFF_TABS`)
};

const getDiagnosticsSchema = z.object({ uri: z.string().nullish().describe('URI of a file; all files if it is left out') });

const getDiagnostics: CompanionTool<ClaudeToolHandler, z.infer<typeof getDiagnosticsSchema>> = {
    name: 'getDiagnostics',
    description: 'Reads the problems that the IDE has found.',
    schema: getDiagnosticsSchema,
    call: async ({ uri }, session) => texts(JSON.stringify(await session.diagnostics(uri ?? undefined)))
};

/** Without those for reviews, the CLI asks in the terminal. */
export const CLAUDE_TOOLS = { reviews: [openDiff, closeTab, closeAllDiffTabs], others: [getDiagnostics] } as const;

/** Makes a result as the CLIs of this family read it. */
function texts(...all: string[]): CallToolResult {
    return { content: all.map(text => ({ type: 'text', text })) };
}
