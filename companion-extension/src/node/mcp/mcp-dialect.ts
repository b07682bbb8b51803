// SPDX-License-Identifier: Apache-2.0

import { ProcessTable } from '../host/process-table';
import { GatedRoutes } from '../http/gated-application';
import { DialectServer, SERVER_INFO, WindowDialect } from '../server/cli-server';
import { SessionWindow } from '../server/cli-session';
import { DEFAULT_SESSION_TIMINGS, McpSessions } from './mcp-sessions';

/** The dialect of Gemini CLI and Qwen Code: MCP over HTTP, with the tools of the specification. */
export class McpDialect implements WindowDialect {
    constructor(
        protected readonly processes: Pick<ProcessTable, 'peerOf'>,
        protected readonly timings = DEFAULT_SESSION_TIMINGS
    ) {}

    routesOf(window: SessionWindow, { port, sessions, refusals }: DialectServer): GatedRoutes {
        const { routes } = new McpSessions({
            port,
            joined: sessions,
            make: async (_request, cliId, onInitialised) => {
                // Most backends serve no CLI at first: the MCP SDK would be a third of what the companion adds to their start.
                const [{ McpSession }, { diffTools }] = await Promise.all([import('./mcp-session'), import('./diff-tools')]);
                // Those of now: a session keeps its tools.
                const tools = window.reviewsOffered ? diffTools(window.diffs) : [];
                return new McpSession(cliId, SERVER_INFO, async () => tools, this.timings, onInitialised);
            },
            hasOpenDiff: session => window.diffs.isOpenFor(session),
            processes: this.processes,
            refusals
        });
        return routes;
    }
}
