// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import * as http from 'http';
import { AddressInfo } from 'net';

export interface FakeEvent {
    v?: number;
    type: string;
    data: unknown;
    promptId?: string;
    originatorClientId?: string;
    _meta?: object;
    id?: number;
}

export interface FakeSession {
    id: string;
    epoch: string;
    clientId: string;
    events: FakeEvent[];
    streams: Set<http.ServerResponse>;
    journal: FakeEvent[];
    history: FakeEvent[];
    terminals: object[];
    /** The daemon's records of the files, one for each turn. */
    snapshots: object[];
    active: boolean;
    sourceId?: string;
    approvalMode?: string;
}

export interface FakeRequest {
    method: string;
    path: string;
    body: Record<string, unknown>;
}

/** A daemon that does on demand what the real one does only by chance. Speaks as Qwen Code 0.24 does. */
export class FakeDaemon {
    token = 'secret-of-the-fake-daemon-0123456789';
    readonly sessions = new Map<string, FakeSession>();
    readonly requests: FakeRequest[] = [];
    /** How many answers say that it is still starting. */
    startingAnswers = 0;
    capabilities: Record<string, unknown>;
    /** Answers instead of the usual; `undefined` where the usual is wanted. */
    intercept: (request: FakeRequest, response: http.ServerResponse) => boolean | Promise<boolean> = () => false;
    /** Everybody may use it. */
    open = false;
    pendingPermissions = new Set<string>();
    /** Headers that came with the last opening of an event stream. */
    lastStreamHeaders: http.IncomingHttpHeaders = {};
    private server: http.Server | undefined;
    port = 0;

    constructor(readonly workspace: string) {
        this.capabilities = {
            v: 1,
            protocolVersions: { current: 'v1', supported: ['v1'] },
            qwenCodeVersion: '0.24.4',
            mode: 'http-bridge',
            features: [
                'session_create',
                'session_scope_override',
                'session_load',
                'session_source_metadata',
                'session_events',
                'non_blocking_prompt',
                'session_permission_vote',
                'session_set_model',
                'session_approval_mode_control',
                'typed_event_schema',
                'require_auth'
            ],
            modelServices: [],
            workspaceCwd: workspace,
            transports: ['rest'],
            limits: { maxPendingPromptsPerSession: 5 }
        };
    }

    get url(): string {
        return `http://127.0.0.1:${this.port}`;
    }

    async start(): Promise<void> {
        this.server = http.createServer((request, response) => void this.handle(request, response));
        await new Promise<void>(resolve => this.server!.listen(this.port, '127.0.0.1', resolve));
        this.port = (this.server.address() as AddressInfo).port;
    }

    async stop(): Promise<void> {
        const server = this.server;
        this.server = undefined;
        server?.closeAllConnections();
        await new Promise<void>(resolve => (server ? server.close(() => resolve()) : resolve()));
    }

    /** As after `kill -9` and a new start on the same port: sessions are only on disk. */
    async restart(): Promise<void> {
        await this.stop();
        for (const session of this.sessions.values()) {
            session.epoch = randomUUID();
            session.events = [];
            session.streams.clear();
            session.journal = [];
            session.active = false;
        }
        this.onDisk = new Set(this.sessions.keys());
        await this.start();
    }

    private onDisk = new Set<string>();

    /** The session that was made first. */
    get session(): FakeSession {
        return [...this.sessions.values()][0];
    }

    emit(session: FakeSession, event: FakeEvent): void {
        const full = { v: 1, id: session.events.length + 1, originatorClientId: session.clientId, ...event };
        session.events.push(full);
        session.streams.forEach(stream => this.write(stream, full));
    }

    /** A frame without id, which is not kept. */
    emitUnnumbered(session: FakeSession, event: FakeEvent): void {
        session.streams.forEach(stream => this.write(stream, { v: 1, ...event }));
    }

    /** Begins a prompt: says it to all clients, with what came with it. */
    take(session: FakeSession, { body }: FakeRequest, promptId: string = requestIdOf(body) ?? randomUUID()): string {
        const [content] = body.prompt as object[];
        const _meta = { ...(body._meta as object), source: 'bridge-echo' };
        const data = { sessionId: session.id, update: { sessionUpdate: 'user_message_chunk', content, _meta } };
        this.emit(session, { type: 'session_update', promptId, _meta: { serverTimestamp: Date.now() }, data });
        return promptId;
    }

    update(session: FakeSession, promptId: string | undefined, update: object): void {
        this.emit(session, { type: 'session_update', promptId, data: { sessionId: session.id, update } });
    }

    text(session: FakeSession, promptId: string, text: string): void {
        this.update(session, promptId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    }

    complete(session: FakeSession, promptId: string, stopReason = 'end_turn'): void {
        this.emit(session, { type: 'turn_complete', promptId, data: { sessionId: session.id, promptId, stopReason } });
    }

    permission(session: FakeSession, promptId: string, requestId: string): void {
        this.pendingPermissions.add(requestId);
        this.emit(session, permissionEvent(session.id, promptId, requestId));
    }

    cut(session: FakeSession): void {
        session.streams.forEach(stream => stream.destroy());
        session.streams.clear();
    }

    end(session: FakeSession): void {
        session.streams.forEach(stream => stream.end());
        session.streams.clear();
    }

    raw(session: FakeSession, text: string): void {
        session.streams.forEach(stream => stream.write(text));
    }

    requestsTo(end: string): FakeRequest[] {
        return this.requests.filter(({ path }) => path.endsWith(end));
    }

    private write(stream: http.ServerResponse, event: FakeEvent): void {
        stream.write(`${event.id === undefined ? '' : `id: ${event.id}\n`}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }

    private async handle(message: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
        const chunks: Buffer[] = [];
        for await (const chunk of message) {
            chunks.push(chunk as Buffer);
        }
        const bytes = Buffer.concat(chunks);
        const url = new URL(message.url!, 'http://fake');
        const request: FakeRequest = { method: message.method!, path: url.pathname, body: bodyOf(message, url, bytes) };
        this.requests.push(request);
        const answer = (status: number, body: unknown): void => {
            response.writeHead(status, { 'content-type': 'application/json' });
            response.end(JSON.stringify(body));
        };
        if (!this.open && message.headers.authorization !== `Bearer ${this.token}`) {
            return answer(401, { error: 'Unauthorized' });
        }
        if (this.startingAnswers > 0) {
            this.startingAnswers--;
            return answer(503, { error: 'Daemon runtime is still starting', code: 'daemon_runtime_starting' });
        }
        if (await this.intercept(request, response)) {
            return;
        }
        if (url.pathname === '/capabilities') {
            return answer(200, this.capabilities);
        }
        if (url.pathname.startsWith('/workspace/')) {
            const sessions = [...this.sessions.values()].map(({ id, sourceId }) => ({
                sessionId: id,
                workspaceCwd: this.workspace,
                displayName: 'A session',
                createdAt: '2026-01-01T00:00:00Z',
                sourceType: 'theia',
                sourceId
            }));
            return answer(200, { sessions });
        }
        if (url.pathname === '/session') {
            const session: FakeSession = {
                id: randomUUID(),
                epoch: randomUUID(),
                clientId: `client_${randomUUID()}`,
                events: [],
                streams: new Set(),
                journal: [],
                history: [],
                terminals: [],
                snapshots: [],
                active: false,
                sourceId: request.body.sourceId as string,
                approvalMode: request.body.approvalMode as string
            };
            this.sessions.set(session.id, session);
            return answer(200, { sessionId: session.id, workspaceCwd: this.workspace, attached: false, clientId: session.clientId });
        }
        const [, , id, action, last] = url.pathname.split('/');
        const session = this.sessions.get(id);
        if (!session || (this.onDisk.has(id) && action !== 'load')) {
            return answer(404, { error: 'No session', code: 'session_not_found', sessionId: id });
        }
        switch (action) {
            case 'load':
                this.onDisk.delete(id);
                session.clientId = `client_${randomUUID()}`;
                session.approvalMode = request.body.approvalMode as string;
                return answer(200, {
                    sessionId: id,
                    workspaceCwd: this.workspace,
                    attached: true,
                    clientId: session.clientId,
                    compactedReplay: session.history,
                    liveJournal: session.journal,
                    lastEventId: session.events.length,
                    eventEpoch: session.epoch,
                    hasActivePrompt: session.active,
                    promptTerminals: session.terminals,
                    state: {}
                });
            case 'events':
                return this.stream(session, message, response);
            case 'prompt':
                return answer(202, {
                    promptId: this.take(session, request),
                    lastEventId: session.events.length,
                    eventEpoch: session.epoch
                });
            case 'context':
                return answer(200, context(session));
            case 'pending-prompts':
                return answer(200, { removed: false });
            case 'rewind':
                return last
                    ? answer(200, { snapshots: session.snapshots })
                    : answer(200, { rewound: true, targetTurnIndex: 0, filesChanged: ['/w/out.txt'], filesFailed: [] });
            case 'cancel':
            case 'detach':
                response.writeHead(204);
                return void response.end();
            case 'attachments':
                return last
                    ? answer(200, { removed: true })
                    : answer(201, { type: 'image', attachmentId: request.body.name, mimeType: request.body.type, size: request.body.size });
            case 'permission':
                return this.pendingPermissions.has(last) ? answer(200, {}) : answer(404, { error: 'unknown' });
            case 'model':
                return answer(200, { _meta: { qwenModelSwitch: { apiKey: 'sk-...key-of-provider', baseUrl: 'http://provider' } } });
            case 'approval-mode':
                return answer(200, { sessionId: id, mode: request.body.mode, previous: 'default', persisted: false });
            case 'status':
                return answer(200, { sessionId: id, workspaceCwd: this.workspace, hasActivePrompt: true, activeWorkState: 'active' });
            default:
                return answer(404, { error: 'no such route' });
        }
    }

    private stream(session: FakeSession, message: http.IncomingMessage, response: http.ServerResponse): void {
        this.lastStreamHeaders = message.headers;
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-qwen-event-epoch': session.epoch });
        response.write('retry: 3000\n\n');
        const last = message.headers['last-event-id'];
        const after = last === undefined ? session.events.length : Number(last);
        if (last !== undefined && message.headers['x-qwen-event-epoch'] && message.headers['x-qwen-event-epoch'] !== session.epoch) {
            this.write(response, { type: 'state_resync_required', data: { reason: 'epoch_reset' } });
        }
        session.events.slice(after).forEach(event => this.write(response, event));
        this.write(response, { type: 'replay_complete', data: { replayedCount: session.events.length - after } });
        session.streams.add(response);
        response.on('close', () => session.streams.delete(response));
    }
}

/** Here a prompt has the id of its request, so that a test has one id for both. */
export function requestIdOf({ _meta }: Record<string, unknown>): string | undefined {
    return (_meta as { inputAnnotations?: { requestId: string }[] } | undefined)?.inputAnnotations?.[0].requestId;
}

/** Of an attachment, its name, type and size. */
function bodyOf({ headers }: http.IncomingMessage, url: URL, bytes: Buffer): Record<string, unknown> {
    const name = url.searchParams.get('name');
    if (name !== null) {
        return { name, type: headers['content-type'], size: bytes.length };
    }
    return bytes.length ? (JSON.parse(bytes.toString('utf8')) as Record<string, unknown>) : {};
}

export function permissionEvent(sessionId: string, promptId: string, requestId: string): FakeEvent {
    return {
        type: 'permission_request',
        promptId,
        data: {
            requestId,
            sessionId,
            toolCall: {
                _meta: { toolName: 'write_file' },
                content: [{ type: 'diff', path: '/w/out.txt', oldText: '', newText: 'hello\n' }],
                kind: 'edit',
                locations: [{ path: '/w/out.txt' }],
                rawInput: { file_path: '/w/out.txt', content: 'hello\n' },
                status: 'pending',
                title: 'Writing to out.txt',
                toolCallId: 'call_1'
            },
            options: [
                { kind: 'allow_always', name: 'Allow All Edits', optionId: 'proceed_always' },
                { kind: 'allow_once', name: 'Allow', optionId: 'proceed_once' },
                { kind: 'reject_once', name: 'Reject', optionId: 'cancel' }
            ]
        }
    };
}

function context(session: FakeSession): object {
    return {
        v: 1,
        sessionId: session.id,
        state: {
            models: {
                currentModelId: 'fake-a(openai)',
                availableModels: [
                    { modelId: 'fake-a(openai)', name: 'Fake A' },
                    { modelId: 'fake-b(openai)', name: 'Fake B' }
                ]
            },
            modes: {
                currentModeId: session.approvalMode ?? 'auto',
                availableModes: [
                    { id: 'plan', name: 'Plan' },
                    { id: 'default', name: 'Default' },
                    { id: 'auto-edit', name: 'Auto Edit' },
                    { id: 'auto', name: 'Auto' }
                ]
            }
        }
    };
}
