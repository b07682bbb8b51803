// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { MarkdownString } from '@theia/core/lib/common/markdown-rendering/markdown-string';
import { nls } from '@theia/core/lib/common/nls';
import { listOf } from 'theia-cli-companion/lib/common';
import { shownPath, textAsMarkdown } from '../../common/plain-text';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { toolDetails } from '../parts/tool-content';
import { TurnHost } from './conversation-page';

/** So many files are named, and how many more there are. */
const MAX_NAMES = 10;

/** The line above the input of one chat: how many files of Qwen wait for the user; where they are not followed, those of the newest turn. */
export class ChangesLine {
    protected shown: MarkdownString | undefined;

    constructor(
        protected readonly model: MutableChatModel,
        protected readonly host: Pick<TurnHost, 'page' | 'folder' | 'chatSessionId'>
    ) {}

    update(): void {
        const line = this.line();
        if (line?.value !== this.shown?.value) {
            // What other agents suggest stays.
            const others = this.model.suggestions.filter(suggestion => suggestion !== this.shown);
            this.shown = line;
            this.model.setSuggestions([...others, ...(line === undefined ? [] : [line])]);
            this.host.page.view.showSuggestions(this.host.chatSessionId);
        }
    }

    protected line(): MarkdownString | undefined {
        const { changes } = this.host.page;
        const paths = this.newest();
        if (changes.count === undefined) {
            return paths.length > 0 ? { value: this.named(paths) } : undefined;
        }
        if (changes.count === 0 || this.ownContents().length === 0) {
            return undefined;
        }
        const text =
            changes.count === 1
                ? nls.localize('theia/qwen-daemon/changes/one', '1 file changed.')
                : nls.localize('theia/qwen-daemon/changes/several', '{0} files changed.', changes.count);
        const review = nls.localize('theia/qwen-daemon/changes/review', 'Review');
        // With a callback in its place, the browser would leave the IDE for the link's address (Theia 1.74).
        return { value: `${text} [${review}](command:${changes.reviewCommand})` };
    }

    protected named(paths: readonly string[]): string {
        const names = paths.slice(0, MAX_NAMES).map(path => textAsMarkdown(shownPath(path, this.host.folder)));
        const more = paths.length - names.length;
        const rest = more > 0 ? [nls.localize('theia/qwen-daemon/changes/more', '{0} more', more)] : [];
        return nls.localize('theia/qwen-daemon/changes/changed', 'Qwen changed {0}.', listOf([...names, ...rest]));
    }

    /** The chat's parts say it, so it is the same after a reload. */
    protected newest(): string[] {
        const changed = this.ownContents().flatMap(part => {
            const details = ToolCallChatResponseContent.is(part) ? toolDetails(part) : undefined;
            return details?.diff && details.status === 'completed' ? [{ ...details.edit, path: details.diff.path }] : [];
        });
        const turnId = changed.at(-1)?.turnId;
        return [...new Set(changed.filter(edit => edit.turnId === turnId).map(({ path }) => path))];
    }

    protected ownContents(): unknown[] {
        const own = this.model.getRequests().filter(({ agentId }) => agentId === QWEN_AGENT_ID);
        return own.flatMap(({ response }) => response.response.content);
    }
}
