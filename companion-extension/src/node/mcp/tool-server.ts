// SPDX-License-Identifier: Apache-2.0

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
    CallToolRequestSchema,
    CallToolResult,
    CancelledNotificationSchema,
    ErrorCode,
    Implementation,
    JSONRPCMessage,
    ListToolsRequestSchema,
    McpError,
    RequestId,
    Tool
} from '@modelcontextprotocol/sdk/types.js';
import { z, type ZodType } from 'zod/v4';

/** A tool that a CLI calls by itself. It offers only `getDiagnostics` to its model. */
export interface CompanionTool<Caller, Arguments = unknown> {
    readonly name: string;
    readonly description: string;
    readonly schema: ZodType<Arguments>;
    /**
     * @param caller the session that calls: an outcome goes to it alone
     * @param cancelled aborted when the client waits for no result any more, such as after a limit of its own
     */
    call(args: Arguments, caller: Caller, cancelled: AbortSignal): Promise<CallToolResult>;
}

/** Its params are not looked at before the SDK's own check: what fails here would be an internal error (1.32.2). */
const AnyCall = z.object({ method: z.literal('tools/call'), params: z.unknown() });

/** The MCP server of one session, with its tools. Not by `registerTool`: that one answers an unknown tool with a result, not with an error. */
export class ToolServer<Caller> extends McpServer {
    /** The calls that wait for their results. */
    protected readonly calls = new Map<RequestId, AbortController>();

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
        this.server.setRequestHandler(AnyCall, async (request, { requestId }) => {
            const { params } = CallToolRequestSchema.parse(request);
            const call = new AbortController();
            this.calls.set(requestId, call);
            try {
                return await this.call(params.name, params.arguments ?? {}, call.signal);
            } finally {
                this.calls.delete(requestId);
            }
        });
    }

    /** The SDK never answers a call that is cancelled, and never ends its stream (1.32.2). Here the call is told, and is answered all the same. */
    override async connect(transport: Transport): Promise<void> {
        await super.connect(transport);
        const { onmessage } = transport;
        transport.onmessage = (message, extra) => this.takeCancellation(message) || onmessage?.(message, extra);
    }

    /** @returns whether the message is one */
    protected takeCancellation(message: JSONRPCMessage): boolean {
        const isCancellation = 'method' in message && message.method === 'notifications/cancelled';
        const { data } = CancelledNotificationSchema.safeParse(message);
        if (data?.params.requestId !== undefined) {
            const { requestId } = data.params;
            // The SDK begins a call in a later microtask, and its cancellation may come with it (1.32.2).
            setImmediate(() => this.calls.get(requestId)?.abort());
        }
        return isCancellation;
    }

    protected async call(name: string, args: unknown, cancelled: AbortSignal): Promise<CallToolResult> {
        const tool = (await this.tools()).find(candidate => candidate.name === name);
        if (!tool) {
            throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
        }
        const parsed = tool.schema.safeParse(args);
        return parsed.success ? tool.call(parsed.data, this.caller, cancelled) : failure(`${name}: ${z.prettifyError(parsed.error)}`);
    }
}

/** The result of a tool that could not do it. */
export function failure(problem: string): CallToolResult {
    return { isError: true, content: [{ type: 'text', text: problem }] };
}
