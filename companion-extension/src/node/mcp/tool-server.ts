// SPDX-License-Identifier: Apache-2.0

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
    CallToolRequestSchema,
    CallToolResult,
    ErrorCode,
    Implementation,
    JSONRPCMessage,
    ListToolsRequestSchema,
    McpError,
    Tool
} from '@modelcontextprotocol/sdk/types.js';
import { z, type ZodType } from 'zod/v4';

/** A tool that a CLI calls by itself. It offers only `getDiagnostics` to its model. */
export interface CompanionTool<Caller, Arguments = unknown> {
    readonly name: string;
    readonly description: string;
    readonly schema: ZodType<Arguments>;
    /** @param caller the session that calls: an outcome goes to it alone */
    call(args: Arguments, caller: Caller): Promise<CallToolResult>;
}

/** Its params are not looked at before the SDK's own check: what fails here would be an internal error (1.32.2). */
const AnyCall = z.object({ method: z.literal('tools/call'), params: z.unknown() });

/** The MCP server of one session, with its tools. Not by `registerTool`: that one answers an unknown tool with a result, not with an error. */
export class ToolServer<Caller> extends McpServer {
    constructor(
        info: Implementation,
        protected readonly tools: () => Promise<ReadonlyArray<CompanionTool<Caller>>>,
        protected readonly caller: Caller
    ) {
        super(info);
        this.server.registerCapabilities({ tools: {} });
        this.server.setRequestHandler(ListToolsRequestSchema, async () => ({
            tools: (await this.tools()).map(({ name, description, schema }) => ({
                name,
                description,
                inputSchema: z.toJSONSchema(schema) as Tool['inputSchema']
            }))
        }));
        this.server.setRequestHandler(AnyCall, request => {
            const { params } = CallToolRequestSchema.parse(request);
            return this.call(params.name, params.arguments ?? {});
        });
    }

    protected async call(name: string, args: unknown): Promise<CallToolResult> {
        const tool = (await this.tools()).find(candidate => candidate.name === name);
        if (!tool) {
            throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
        }
        const parsed = tool.schema.safeParse(args);
        return parsed.success ? tool.call(parsed.data, this.caller) : failure(`${name}: ${z.prettifyError(parsed.error)}`);
    }
}

/** Nothing is cancelled: what has begun continues, and each request is answered. The SDK never ends the stream of one that is not (1.32.2). */
export function isCancellation(message: JSONRPCMessage): boolean {
    return 'method' in message && message.method === 'notifications/cancelled';
}

/** The result of a tool that could not do it. */
export function failure(problem: string): CallToolResult {
    return { isError: true, content: [{ type: 'text', text: problem }] };
}
