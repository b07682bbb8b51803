// SPDX-License-Identifier: Apache-2.0

import { ToolCallChatResponseContent, ToolCallChatResponseContentImpl } from '@theia/ai-chat/lib/common';
import { Edit } from '../diff/edit-diff-uris';
import { DiffInfo, ToolCall, ToolStatus } from '../../common/session-events';

const DATA_KEY = 'qwen-daemon';

/** What the renderer needs beyond name, arguments and result of the tool call. */
export interface ToolDetails {
    edit: Edit;
    title: string;
    toolKind: string;
    status: ToolStatus;
    diff?: DiffInfo;
    mcpServer?: string;
    truncated: boolean;
}

/**
 * A tool call of the daemon. The details are in `data` and not in own fields, because Theia restores stored tool calls as plain
 * ones: the renderer must be able to recognise them by their data.
 */
export class ToolContent extends ToolCallChatResponseContentImpl {
    constructor(
        protected readonly turn: { sessionId: string; turnId: string },
        tool: ToolCall
    ) {
        // The id is unique in its turn only; Theia merges by id within one response, which is a turn.
        super(tool.id, tool.name);
        this.update(tool);
    }

    /** Shows the tool call as it is now. Call `responseContentChanged` of the response afterwards. */
    update(tool: ToolCall): void {
        const details: ToolDetails = {
            edit: { sessionId: this.turn.sessionId, turnId: this.turn.turnId, toolId: tool.id },
            title: tool.title,
            toolKind: tool.toolKind,
            status: tool.status,
            diff: tool.diff,
            mcpServer: tool.mcpServer,
            truncated: tool.truncated
        };
        this._name = tool.name;
        this._arguments = tool.args;
        this._data = { [DATA_KEY]: JSON.stringify(details) };
        if (tool.status === 'completed' || tool.status === 'failed') {
            this.complete(tool.result ?? '');
        } else if (tool.result !== undefined) {
            this.updateResult(tool.result);
        }
    }

    /** The turn ended before this call did. */
    interrupt(): void {
        if (!this.finished) {
            this.complete(this.result ?? '');
        }
    }
}

/** `undefined` for tool calls of other agents, and for damaged data. */
export function toolDetails(content: ToolCallChatResponseContent): ToolDetails | undefined {
    const data = content.data?.[DATA_KEY];
    if (data === undefined) {
        return undefined;
    }
    try {
        return JSON.parse(data) as ToolDetails;
    } catch {
        return undefined;
    }
}
