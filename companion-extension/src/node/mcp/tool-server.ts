// SPDX-License-Identifier: Apache-2.0

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
    CallToolRequestSchema,
    CallToolResult,
    ErrorCode,
    Implementation,
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
    /** @returns a text says why it failed. @param caller the session that calls: an outcome goes to it alone */
    call(args: Arguments, caller: Caller): Promise<CallToolResult | string>;
}

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
        this.server.setRequestHandler(CallToolRequestSchema, ({ params }) => this.call(params.name, params.arguments ?? {}));
    }

    protected async call(name: string, args: unknown): Promise<CallToolResult> {
        const tool = (await this.tools()).find(candidate => candidate.name === name);
        if (!tool) {
            throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
        }
        const parsed = tool.schema.safeParse(args);
        const result = parsed.success ? await tool.call(parsed.data, this.caller) : `${name}: ${z.prettifyError(parsed.error)}`;
        return typeof result === 'string' ? { isError: true, content: [{ type: 'text', text: result }] } : result;
    }
}
