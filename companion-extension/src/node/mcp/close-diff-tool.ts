// SPDX-License-Identifier: Apache-2.0

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { ReviewOwner } from '../review/review';
import { CompanionTool, toolFailure } from './companion-tool';

export interface DiffCloser {
    /**
     * @param answered the user answered in the terminal
     * @returns the right side's text as the user left it, or `undefined` where this session has no such diff
     */
    closeDiff(owner: ReviewOwner, filePath: string, answered: boolean): Promise<string | undefined>;
}

const schema = z.object({
    filePath: z.string().describe('Path of the file as it was given to openDiff'),
    // Both CLIs send it as true after an answer in the terminal, and leave it out when they end (Qwen Code 0.24, Gemini CLI 0.61).
    // No notification ever follows a closeDiff here: Gemini would take a rejection for the user's answer in the terminal.
    suppressNotification: z.boolean().nullish().describe('Whether ide/diffRejected is to be left out; it always is')
});

/** `closeDiff` (specification, section III). The result is `{"content": …}` as JSON: the CLIs drop plain text without a word. */
export class CloseDiffTool implements CompanionTool<z.infer<typeof schema>> {
    readonly name = 'closeDiff';
    readonly description = 'Closes the diff view of a file and returns the proposed content as the user left it.';
    readonly schema = schema;

    constructor(private readonly closer: DiffCloser) {}

    async call({ filePath, suppressNotification }: z.infer<typeof schema>, session: ReviewOwner): Promise<CallToolResult> {
        const content = await this.closer.closeDiff(session, filePath, suppressNotification === true);
        if (content === undefined) {
            return toolFailure(`No open diff for ${filePath}`);
        }
        return { content: [{ type: 'text', text: JSON.stringify({ content }) }] };
    }
}
