// SPDX-License-Identifier: Apache-2.0

import { ChatContext, ChatRequestModel, MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequest, ParsedChatRequestTextPart, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { cappedText, DaemonLimits } from '../../common/qwen-daemon-protocol';
import { isImage } from './request-images';
import { NoticeContent, TurnMarkerContent, TurnMarkerData } from '../parts/response-parts';

/** Theia's name of the variable for a file. */
const FILE = 'file';

/** Finds and makes the requests of one chat that show the turns of its daemon session. */
export class ChatRequests {
    constructor(
        readonly model: MutableChatModel,
        protected readonly agentId: string
    ) {}

    /** The daemon session that this chat's stored responses name; the newest wins. */
    get knownSessionId(): string | undefined {
        return this.markers().findLast(({ sessionId }) => sessionId)?.sessionId;
    }

    byId(requestId: string): MutableChatRequestModel | undefined {
        const request = this.model.getRequest(requestId);
        return request?.agentId === this.agentId ? request : undefined;
    }

    byTurn(turnId: string): MutableChatRequestModel | undefined {
        return this.own().find(request => markerOf(request)?.turnId === turnId);
    }

    /** The turn in which a request was answered, if Qwen still knows it; also of a request that was edited since, which Theia counts no longer. */
    turnOf(requestId: string): string | undefined {
        const request = this.model.getBranch(requestId)?.items.find(({ element }) => element.id === requestId)?.element;
        return request && !isUndone(request) ? markerOf(request)?.turnId : undefined;
    }

    /**
     * The first request with this prompt that shows none of the given turns. A daemon that loads a session from its disk may have
     * forgotten the ids of its turns.
     */
    byPrompt(prompt: string, taken: ReadonlySet<string>): MutableChatRequestModel | undefined {
        return this.own().find(request => !taken.has(markerOf(request)?.turnId ?? '') && this.asks(request, prompt));
    }

    /** @param prompt as the daemon has it, capped */
    asks({ message }: MutableChatRequestModel, prompt: string): boolean {
        return cappedText(promptText(message), DaemonLimits.toolText) === prompt.trim();
    }

    /** Shows a request that nobody typed here: another client's, or one of the session's history. It is not sent to anybody. */
    append(prompt: string): MutableChatRequestModel {
        return this.model.addRequest(textOnly(prompt), this.agentId);
    }

    /**
     * Replaces a request that Theia restored as finished, so that its turn, which still runs, can go on in the new one. Theia cannot reopen
     * a response. A request that is not the last one stays as it is.
     */
    reopen(request: MutableChatRequestModel): MutableChatRequestModel {
        const branch = this.model.getBranch(request.id);
        if (!branch || branch.get() !== request || branch.next()) {
            return request;
        }
        const message: ParsedChatRequest = { ...request.message, request: { ...request.request, referencedRequestId: request.id } };
        const fresh = this.model.addRequest(message, this.agentId, request.context);
        branch.remove(request);
        request.dispose();
        return fresh;
    }

    protected own(): MutableChatRequestModel[] {
        return this.model.getRequests().filter(request => request.agentId === this.agentId);
    }

    protected markers(): TurnMarkerData[] {
        return this.own()
            .map(markerOf)
            .filter(marker => marker !== undefined);
    }
}

export function markerOf(request: Pick<ChatRequestModel, 'response'>): TurnMarkerData | undefined {
    return request.response.response.content.find(content => content instanceof TurnMarkerContent)?.data;
}

/** Whether it says that its turn was undone. */
export function isUndone({ response }: Pick<ChatRequestModel, 'response'>): boolean {
    return response.response.content.some(
        part => part instanceof NoticeContent && part.data.undone?.path === undefined && part.data.undone !== undefined
    );
}

/** This agent's request before this one. */
export function ownBefore({ session, id, agentId }: MutableChatRequestModel): MutableChatRequestModel | undefined {
    return session.getRequests().findLast(request => request.id !== id && request.agentId === agentId);
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
        parts: [new ParsedChatRequestTextPart({ start: 0, endExclusive: text.length }, text)],
        toolRequests: new Map(),
        variables: []
    };
}

/** What is sent to the daemon: the text without the mention of the agent, and with variables resolved. A command is the daemon's to resolve. */
export function promptText({ parts, request }: ParsedChatRequest): string {
    return parts
        .map(part => {
            const typed = request.text.slice(part.range.start, part.range.endExclusive);
            return part.kind === 'agent' ? '' : part.kind === 'var' && typed.startsWith('/') ? typed : part.promptText;
        })
        .join('')
        .trim();
}

export interface Attachments {
    /** Paths of the files, relative to the workspace (with the root's name first) or absolute, as Theia names them. */
    files: string[];
    /** Labels of what cannot be given to the daemon. */
    unsupported: string[];
}

/**
 * What the user attached to the request, or named in its text as `#file:…`, besides images. Files go as links, and the daemon reads them
 * itself. Nothing else can be sent.
 */
export function attachments(context: ChatContext, { parts }: Pick<ParsedChatRequest, 'parts'>): Attachments {
    const files = new Set<string>();
    const unsupported: string[] = [];
    for (const { variable, arg } of context.variables) {
        if (variable.name === FILE && arg) {
            files.add(arg);
        } else if (!isImage({ variable })) {
            unsupported.push(variable.label ?? variable.name);
        }
    }
    for (const part of parts) {
        if (part instanceof ParsedChatRequestVariablePart && part.variableName === FILE && part.variableArg) {
            files.add(part.variableArg);
        }
    }
    return { files: [...files], unsupported };
}
