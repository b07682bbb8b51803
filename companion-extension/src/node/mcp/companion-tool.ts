// SPDX-License-Identifier: Apache-2.0

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ZodType } from 'zod/v4';
import type { ReviewOwner } from '../review/review';

/** A tool that the CLIs call. They offer none of them to their model; these two they call themselves. */
export interface CompanionTool<Arguments = unknown> {
    readonly name: string;
    readonly description: string;
    readonly schema: ZodType<Arguments>;
    /** @param session the session that calls: an outcome goes to it alone */
    call(args: Arguments, session: ReviewOwner): Promise<CallToolResult>;
}

/** The failure form of both tools (specification, section III). */
export function toolFailure(text: string): CallToolResult {
    return { isError: true, content: [{ type: 'text', text }] };
}
