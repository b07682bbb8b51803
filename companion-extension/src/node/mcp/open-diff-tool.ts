// SPDX-License-Identifier: Apache-2.0

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { ReviewOwner } from '../review/review';
import { CompanionTool, toolFailure } from './companion-tool';

export interface DiffOpener {
    /** @returns why the diff cannot be shown, or `undefined` where it is shown or will be when a page comes */
    openDiff(owner: ReviewOwner, filePath: string, newContent: string): Promise<string | undefined>;
}

const schema = z.object({
    filePath: z.string().describe('Absolute path of the file to review'),
    newContent: z.string().describe('The whole proposed content of the file')
});

/** `openDiff` (specification, section III): answers at once; the outcome follows as a notification. */
export class OpenDiffTool implements CompanionTool<z.infer<typeof schema>> {
    readonly name = 'openDiff';
    readonly description = 'Opens a diff view in the IDE, in which the user accepts, edits or rejects the proposed content of a file.';
    readonly schema = schema;

    constructor(private readonly opener: DiffOpener) {}

    async call({ filePath, newContent }: z.infer<typeof schema>, session: ReviewOwner): Promise<CallToolResult> {
        const problem = await this.opener.openDiff(session, filePath, newContent);
        return problem === undefined ? { content: [] } : toolFailure(problem);
    }
}
