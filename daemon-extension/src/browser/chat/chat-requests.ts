// SPDX-License-Identifier: Apache-2.0

import { ChatRequestModel, MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequest, ParsedChatRequestTextPart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { ProblemContent } from '../parts/problem-content';
import { TurnMarkerContent, TurnMarkerData } from '../parts/turn-marker-content';

/** The chat agent's id. Users mention it as `@Qwen`. */

/** Finds and makes the requests of one chat that show the turns of its daemon session. */
export class ChatRequests {
    constructor(protected readonly model: MutableChatModel) {}

    /** The daemon session that this chat's stored responses name; the newest wins. */
    get knownSessionId(): string | undefined {
        const named = ownRequests(this.model).findLast(request => markerOf(request)?.sessionId);
        return named && markerOf(named)?.sessionId;
    }

    /** The request that shows a turn: the one with which it was asked, or that its answer names. Also one that was edited since. */
    showing(turnId: string): MutableChatRequestModel | undefined {
        const all = this.model.getBranches().flatMap(({ items }) => items.map(({ element }) => element));
        const own = all.filter(request => request instanceof MutableChatRequestModel).filter(({ agentId }) => agentId === QWEN_AGENT_ID);
        return own.find(request => markerOf(request)?.turnId === turnId) ?? own.find(({ id }) => id === turnId);
    }

    /** Not if it, or one before it, was edited since. */
    isShown(request: MutableChatRequestModel): boolean {
        return this.model.getRequests().includes(request);
    }

    /** The turn in which the daemon answered a request; also of a request that was edited since, which Theia counts no longer. */
    turnOf(requestId: string): string | undefined {
        const request = this.model.getBranch(requestId)?.items.find(({ element }) => element.id === requestId)?.element;
        return request && !isUnsent(request) ? markerOf(request)?.turnId : undefined;
    }

    /** Shows a request that nobody typed here: another client's, or one of the session's history. It is not sent to anybody. */
    append(prompt: string): MutableChatRequestModel {
        return this.model.addRequest(textOnly(prompt), QWEN_AGENT_ID);
    }

    /**
     * Replaces a request that Theia restored as finished, so that its turn, which still runs, can go on in the new one. Theia cannot reopen
     * a response, and shows no more of it (1.74). Messages that wait for the turn are moved behind it; before any other one it stays as it is.
     */
    reopen(request: MutableChatRequestModel, waits: (turnId: string) => boolean): MutableChatRequestModel {
        const branch = this.model.getBranch(request.id);
        const later = this.model.getRequests().slice(this.model.getRequests().indexOf(request) + 1);
        const turnOf = (other: MutableChatRequestModel): string => markerOf(other)?.turnId ?? other.id;
        const sessionId = this.knownSessionId ?? '';
        if (!branch || branch.get() !== request || !later.every(other => waits(turnOf(other)))) {
            return request;
        }
        const message: ParsedChatRequest = { ...request.message, request: { ...request.request, referencedRequestId: request.id } };
        const fresh = this.model.addRequest(message, QWEN_AGENT_ID, request.context);
        branch.remove(request);
        for (const other of later) {
            const moved = this.model.addRequest(other.message, QWEN_AGENT_ID, other.context);
            moved.response.response.addContent(new TurnMarkerContent({ sessionId, turnId: turnOf(other) }));
        }
        [request, ...later].forEach(one => one.dispose());
        return fresh;
    }
}

/** Those that this agent answered, or answers. */
function ownRequests(model: MutableChatModel): MutableChatRequestModel[] {
    return model.getRequests().filter(({ agentId }) => agentId === QWEN_AGENT_ID);
}

/** Whether the daemon never got it. */
function isUnsent({ response }: ChatRequestModel): boolean {
    return response.response.content.some(part => part instanceof ProblemContent && part.data.isUnsent);
}

export function markerOf(request: Pick<ChatRequestModel, 'response'>): TurnMarkerData | undefined {
    return request.response.response.content.find(content => content instanceof TurnMarkerContent)?.data;
}

/** Those that answered in this chat since this agent did last, or before it ever did. */
export function otherAgents({ session, id, agentId }: MutableChatRequestModel): string[] {
    const before = session.getRequests().filter(request => request.id !== id);
    const since = before.slice(before.findLastIndex(request => request.agentId === agentId) + 1);
    return [...new Set(since.flatMap(other => other.agentId ?? []))];
}

/** Not parsed: the text of another client may hold what Theia would take for agents, variables or functions. */
function textOnly(text: string): ParsedChatRequest {
    return {
        request: { text },
        parts: [new TypedTextPart({ start: 0, endExclusive: text.length }, text)],
        toolRequests: new Map(),
        variables: []
    };
}

/** What is sent to the daemon: the text without the mention of the agent, and with variables resolved. */
export function promptText({ parts }: ParsedChatRequest): string {
    return parts
        .map(part => (part.kind === 'agent' ? '' : part.promptText))
        .join('')
        .trim();
}

/**
 * Shows a message as it was typed. A command is the daemon's to resolve: Theia makes a variable of it, and would show `#prompt:goal|clear` for
 * `/goal clear` (1.74).
 */
export function showAsTyped({ parts, request }: ParsedChatRequest): void {
    parts.forEach(({ kind, range, text }, index) => {
        const typed = kind === 'text' ? text : request.text.slice(range.start, range.endExclusive);
        if (kind === 'text' || (kind === 'var' && typed.startsWith('/'))) {
            parts[index] = new TypedTextPart(range, typed);
        }
    });
}

/** Theia renders a message as Markdown with HTML (1.74), which would swallow what stands in `<>`. */
class TypedTextPart extends ParsedChatRequestTextPart {
    constructor(
        range: ParsedChatRequestTextPart['range'],
        protected readonly typed: string
    ) {
        super(
            range,
            typed.replace(/(`+)[^]*?\1|[<&]/g, found => (found === '<' ? '&lt;' : found === '&' ? '&amp;' : found))
        );
    }

    override get promptText(): string {
        return this.typed;
    }
}
