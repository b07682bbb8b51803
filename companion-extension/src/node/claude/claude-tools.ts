// SPDX-License-Identifier: Apache-2.0

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z, type ZodType } from 'zod/v4';
import { FileDiagnostics } from '../../common/companion-protocol';

/** What the tools of one session do. */
export interface ClaudeToolHandler {
    /** Answers when the user has decided, or when nobody is asked any more. */
    openDiff(tabName: string, filePath: string, newContent: string): Promise<CallToolResult>;
    /** The user has answered in the terminal, or had answered before. */
    closeTab(tabName: string): Promise<void>;
    /** @returns how many were open */
    closeAllTabs(): Promise<number>;
    /** @param uri of the one file; of all files if it is left out */
    diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]>;
}

/** A tool that the CLI calls by itself; it offers none of them to its model, but `getDiagnostics`. */
export interface ClaudeTool<Arguments = unknown> {
    readonly name: string;
    readonly description: string;
    readonly schema: ZodType<Arguments>;
    call(args: Arguments, handler: ClaudeToolHandler): Promise<CallToolResult>;
}

const openDiffSchema = z.object({
    old_file_path: z.string().describe('Absolute path of the file on disk'),
    new_file_path: z.string().describe('Absolute path of the file to write'),
    new_file_contents: z.string().describe('The whole proposed content of the file'),
    tab_name: z.string().describe('Names the diff in later calls')
});

const openDiff: ClaudeTool<z.infer<typeof openDiffSchema>> = {
    name: 'openDiff',
    description: 'Opens a diff view in the IDE and answers when the user has accepted or rejected it.',
    schema: openDiffSchema,
    call: (args, handler) => handler.openDiff(args.tab_name, args.new_file_path, args.new_file_contents)
};

const closeTabSchema = z.object({ tab_name: z.string().describe('As it was given to openDiff') });

const closeTab: ClaudeTool<z.infer<typeof closeTabSchema>> = {
    name: 'close_tab',
    description: 'Closes a diff view.',
    schema: closeTabSchema,
    async call({ tab_name }, handler) {
        await handler.closeTab(tab_name);
        return texts('TAB_CLOSED');
    }
};

const closeAllDiffTabs: ClaudeTool = {
    name: 'closeAllDiffTabs',
    description: 'Closes all diff views of this session.',
    schema: z.object({}),
    call: async (_, handler) => texts(`CLOSED_${await handler.closeAllTabs()}_DIFF_TABS`)
};

const getDiagnosticsSchema = z.object({ uri: z.string().nullish().describe('URI of a file; all files if it is left out') });

const getDiagnostics: ClaudeTool<z.infer<typeof getDiagnosticsSchema>> = {
    name: 'getDiagnostics',
    description: 'Reads the problems that the IDE has found.',
    schema: getDiagnosticsSchema,
    call: async ({ uri }, handler) => texts(JSON.stringify(await handler.diagnostics(uri ?? undefined)))
};

/** @param reviews whether diffs are shown: without the tools for them, the CLI asks in the terminal */
export function claudeTools(reviews: boolean): readonly ClaudeTool[] {
    return reviews ? [openDiff, closeTab, closeAllDiffTabs, getDiagnostics] : [getDiagnostics];
}

export function saved(text: string): CallToolResult {
    return texts('FILE_SAVED', text);
}

export function rejected(tabName: string): CallToolResult {
    return texts('DIFF_REJECTED', tabName);
}

function texts(...all: string[]): CallToolResult {
    return { content: all.map(text => ({ type: 'text', text })) };
}
