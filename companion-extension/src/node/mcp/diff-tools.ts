// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';
import type { CliSession, SessionDiffs } from '../server/cli-session';
import { CompanionTool, failure } from './tool-server';

const openDiffSchema = z.object({
    filePath: z.string().describe('Absolute path of the file to review'),
    newContent: z.string().describe('The whole proposed content of the file')
});

const closeDiffSchema = z.object({
    filePath: z.string().describe('Path of the file as it was given to openDiff'),
    // Both CLIs send it as true after an answer in the terminal, and leave it out when they end (Qwen Code 0.24, Gemini CLI 0.61).
    // No notification ever follows a closeDiff here: Gemini would take a rejection for the user's answer in the terminal.
    suppressNotification: z.boolean().nullish().describe('Whether ide/diffRejected is to be left out; it always is')
});

/** The tools of the specification (section III). */
export function diffTools(diffs: SessionDiffs): ReadonlyArray<CompanionTool<CliSession>> {
    /** Answers at once; the outcome follows as a notification. */
    const openDiff: CompanionTool<CliSession, z.infer<typeof openDiffSchema>> = {
        name: 'openDiff',
        description: 'Opens a diff view in the IDE, in which the user accepts, edits or rejects the proposed content of a file.',
        schema: openDiffSchema,
        async call({ filePath, newContent }, session, cancelled) {
            const problem = await diffs.open(session, filePath, newContent);
            if (cancelled.aborted) {
                await diffs.close(session, filePath, false);
            }
            return problem === undefined ? { content: [] } : failure(problem);
        }
    };
    /** The result is `{"content": …}` as JSON: the CLIs silently drop plain text. */
    const closeDiff: CompanionTool<CliSession, z.infer<typeof closeDiffSchema>> = {
        name: 'closeDiff',
        description: 'Closes the diff view of a file and returns the proposed content as the user left it.',
        schema: closeDiffSchema,
        async call({ filePath, suppressNotification }, session) {
            const content = await diffs.close(session, filePath, suppressNotification === true);
            return content === undefined
                ? failure(`No open diff for ${filePath}`)
                : { content: [{ type: 'text', text: JSON.stringify({ content }) }] };
        }
    };
    return [openDiff, closeDiff];
}
