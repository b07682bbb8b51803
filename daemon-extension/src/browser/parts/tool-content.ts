// SPDX-License-Identifier: Apache-2.0

import { ToolCallChatResponseContent, ToolCallChatResponseContentImpl } from '@theia/ai-chat/lib/common';
import { ToolCall } from '../../common/qwen-daemon-protocol';
import { Edit } from '../diff/edit-diff-resources';

const DATA_KEY = 'qwen-daemon';

/** What the renderer needs beyond name, arguments and result of the tool call. */
export interface ToolDetails extends Pick<ToolCall, 'title' | 'toolKind' | 'status' | 'diff' | 'mcpServer' | 'truncated'> {
    edit: Edit;
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
    update({ id, name, args, result, title, toolKind, status, diff, mcpServer, truncated }: ToolCall): void {
        const { sessionId, turnId } = this.turn;
        const details: ToolDetails = { edit: { sessionId, turnId, toolId: id }, title, toolKind, status, diff, mcpServer, truncated };
        this._name = name;
        this._arguments = args;
        this._data = { [DATA_KEY]: JSON.stringify(details) };
        if (status === 'completed' || status === 'failed') {
            this.complete(result ?? '');
        } else if (result !== undefined) {
            this.updateResult(result);
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
