// SPDX-License-Identifier: Apache-2.0

import { DaemonLimits, DiffInfo, DiffTexts, EditReference, ToolCall, ToolStatus } from '../../common/qwen-daemon-protocol';
import { Redactor } from '../config/redactor';
import { ContentPart, ToolUpdate } from './event-payloads';

const statuses: Record<string, ToolStatus> = {
    pending: 'pending',
    in_progress: 'running',
    completed: 'completed',
    failed: 'failed'
};

/**
 * The tool calls of one session, put together from what arrives in pieces: first an empty call, then a permission request with
 * title, arguments and diff, and in the end an update without them (Qwen Code 0.24).
 */
export class ToolCalls {
    /** By turn and id: an id is unique only within its turn. */
    protected readonly calls = new Map<string, Map<string, ToolCall>>();

    constructor(
        protected readonly redactor: Redactor,
        protected readonly edits: KeptEdits
    ) {}

    /** @returns the whole call as it is now */
    update(turnId: string, update: ToolUpdate): ToolCall {
        const calls = this.calls.get(turnId) ?? new Map<string, ToolCall>();
        const before = calls.get(update.toolCallId);
        const status = this.status(before?.status, update.status);
        const args = this.args(update.rawInput);
        const result = this.text(update.content ?? []);
        const call: ToolCall = {
            id: update.toolCallId,
            name: this.redactor.label(update._meta?.toolName) || before?.name || this.redactor.label(update.kind) || 'tool',
            title: this.redactor.label(update.title) || before?.title || this.redactor.label(update._meta?.toolName) || 'Tool',
            toolKind: this.redactor.label(update.kind) || before?.toolKind || 'other',
            status,
            args: args?.text ?? before?.args ?? '',
            // Before its end, the content is a proposal and shown with the permission.
            result: status === 'completed' || status === 'failed' ? (result?.text ?? before?.result) : before?.result,
            diff: this.keepEdit(turnId, update, status, before),
            locations: update.locations?.length
                ? update.locations.slice(0, 50).map(({ path }) => this.redactor.label(path))
                : (before?.locations ?? []),
            mcpServer: update._meta?.serverId ? this.redactor.label(update._meta.serverId) : before?.mcpServer,
            truncated: before?.truncated || args?.truncated || result?.truncated || false
        };
        this.calls.set(turnId, calls.set(call.id, call));
        return call;
    }

    /** A permission was given: the daemon sends nothing until the tool is done. */
    running(turnId: string, toolId: string): ToolCall | undefined {
        const call = this.calls.get(turnId)?.get(toolId);
        return call?.status === 'pending' ? this.update(turnId, { toolCallId: toolId, status: 'in_progress' }) : undefined;
    }

    hasRunning(turnId: string): boolean {
        return [...(this.calls.get(turnId)?.values() ?? [])].some(({ status }) => status === 'running');
    }

    /** Text of content parts, for people. Of edits the first is shown as a diff; nobody is to approve the others unseen. */
    text(parts: ContentPart[]): { text: string; truncated: boolean } | undefined {
        const shown = parts.find(part => 'newText' in part);
        const texts = parts.flatMap(part => {
            if ('content' in part) {
                return part.content.text;
            }
            if ('newText' in part) {
                return part === shown ? [] : `[This also changes ${part.path}, which cannot be shown here]`;
            }
            return `[${part.type}: cannot be shown here]`;
        });
        return texts.length > 0 ? this.cap(texts.join('\n')) : undefined;
    }

    forgetTurn(turnId: string): void {
        this.calls.delete(turnId);
    }

    /** A replay puts the end of a call before its permission request, which must not make it pending again. */
    protected status(before: ToolStatus | undefined, next: string | null | undefined): ToolStatus {
        if (before === 'completed' || before === 'failed') {
            return before;
        }
        return statuses[next ?? ''] ?? before ?? 'pending';
    }

    protected args(rawInput: unknown): { text: string; truncated: boolean } | undefined {
        const isEmpty = rawInput === undefined || rawInput === null || (typeof rawInput === 'object' && Object.keys(rawInput).length === 0);
        return isEmpty ? undefined : this.cap(JSON.stringify(rawInput));
    }

    protected cap(text: string): { text: string; truncated: boolean } {
        return { text: this.redactor.redact(text, DaemonLimits.toolText), truncated: text.length > DaemonLimits.toolText };
    }

    /** Of several edits in one call the first. */
    protected keepEdit(turnId: string, update: ToolUpdate, status: ToolStatus, before: ToolCall | undefined): DiffInfo | undefined {
        const edit = { turnId, toolId: update.toolCallId };
        const part = update.content?.find(candidate => 'newText' in candidate);
        // What is known of one that was done stays: a loaded session reports its proposal after it.
        if (part && (before?.diff === undefined || !isOver(before.status))) {
            this.edits.keep(edit, { path: part.path, oldText: part.oldText ?? '', newText: part.newText });
        }
        return this.edits.info(edit) ?? before?.diff;
    }
}

function isOver(status: ToolStatus): boolean {
    return status === 'completed' || status === 'failed';
}

/** Characters of all edits that are kept, of one session; the oldest go first, the newest never. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Both texts of a file, as the tool reported them. */
export interface EditTexts {
    path: string;
    oldText: string;
    newText: string;
}

/** The edits of a session's tools with both texts, to show them. */
export class KeptEdits {
    protected readonly edits = new Map<string, EditTexts>();
    protected characters = 0;

    constructor(protected readonly redactor: Redactor) {}

    keep({ turnId, toolId }: EditReference, edit: EditTexts): void {
        const key = keyOf(turnId, toolId);
        this.drop(key);
        this.edits.set(key, edit);
        this.characters += sizeOf(edit);
        for (const oldest of this.edits.keys()) {
            if (this.characters <= MAX_CHARACTERS || oldest === key) {
                return;
            }
            this.drop(oldest);
        }
    }

    info({ turnId, toolId }: EditReference): DiffInfo | undefined {
        const edit = this.edits.get(keyOf(turnId, toolId));
        return edit && { path: edit.path, isNew: edit.oldText === '' };
    }

    /** Without secrets, and cut. */
    diff({ turnId, toolId }: EditReference): DiffTexts | undefined {
        const edit = this.edits.get(keyOf(turnId, toolId));
        if (!edit) {
            return undefined;
        }
        const limit = DaemonLimits.diffText;
        const [oldText, newText] = [edit.oldText, edit.newText].map(text => this.redactor.redact(text, Infinity));
        const truncated = oldText.length > limit || newText.length > limit;
        return {
            path: edit.path,
            oldText: oldText.slice(0, limit),
            newText: newText.slice(0, limit),
            truncated
        };
    }

    protected drop(key: string): void {
        const edit = this.edits.get(key);
        if (edit) {
            this.characters -= sizeOf(edit);
            this.edits.delete(key);
        }
    }
}

/** A tool call's id is unique only within its turn. */
function keyOf(turnId: string, toolId: string): string {
    return `${turnId}\0${toolId}`;
}

function sizeOf({ oldText, newText }: EditTexts): number {
    return oldText.length + newText.length;
}
