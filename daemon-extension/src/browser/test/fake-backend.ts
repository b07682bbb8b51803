// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import {
    Answer,
    DaemonStatus,
    DiffTexts,
    OpenedSession,
    OpenSessionRequest,
    PageInfo,
    PermissionAnswer,
    QwenDaemonBackend,
    QwenDaemonPage,
    SessionEvent,
    SessionEvents,
    SessionInfo,
    SessionPrompt
} from '../../common/qwen-daemon-protocol';
import { BackendLink } from '../connection/backend-connection';

export const fakeSession: SessionInfo = {
    sessionId: 'session-1',
    workspaceCwd: '/work/project',
    state: 'live',
    models: [
        { id: 'fake-a', name: 'Fake A' },
        { id: 'fake-b', name: 'Fake B' }
    ],
    currentModelId: 'fake-a',
    modes: [
        { id: 'plan', name: 'Plan' },
        { id: 'default', name: 'Default' },
        { id: 'auto-edit', name: 'Auto Edit' }
    ],
    currentModeId: 'default',
    chosenModeId: 'default'
};

/** A backend that says what a test makes it say, and remembers what it was asked. */
export class FakeBackend implements QwenDaemonBackend {
    page: QwenDaemonPage | undefined;
    readonly calls: string[] = [];
    readonly opened: OpenSessionRequest[] = [];
    readonly prompts: SessionPrompt[] = [];
    readonly votes: { id: string; answer: PermissionAnswer }[] = [];

    session: SessionInfo = { ...fakeSession };
    /** What is answered when the session is opened. */
    replay: SessionEvent[] = [];
    voteResult: Answer<'accepted' | 'late'> = { ok: true, value: 'accepted' };
    openResult: Answer<void> = { ok: true, value: undefined };
    rewindResult: Answer<void> = { ok: true, value: undefined };
    promptResult: Answer<void> = { ok: true, value: undefined };
    diff: DiffTexts | undefined;

    readonly reconnected = new Emitter<void>();
    closed = false;

    link(page: QwenDaemonPage): BackendLink {
        this.page = page;
        return { backend: this, onDidReconnect: this.reconnected.event, isClosed: () => this.closed, dispose: () => undefined };
    }

    /** Sends events, as the next ones of the session. */
    say(...events: SessionEvent[]): void {
        this.page?.notifyEvents(this.batch(events, false));
    }

    batch(events: SessionEvent[], fromStart: boolean): SessionEvents {
        return { sessionId: this.session.sessionId, fromStart, events };
    }

    status(changes: Partial<DaemonStatus> = {}): DaemonStatus {
        return { sequence: 1, state: 'idle', warnings: [], ...changes };
    }

    async hello(page: PageInfo): Promise<DaemonStatus> {
        this.calls.push(`hello ${page.roots.join(',')} ${page.trust}`);
        return this.status();
    }

    async connect(): Promise<DaemonStatus> {
        this.calls.push('connect');
        return this.status({ sequence: 2, state: 'connected', kind: 'managed', host: '127.0.0.1:4170', workspaceCwd: '/work/project' });
    }

    async openSession(request: OpenSessionRequest): Promise<Answer<OpenedSession>> {
        this.opened.push(request);
        if (!this.openResult.ok) {
            return this.openResult;
        }
        return { ok: true, value: { session: this.session, events: this.replay } };
    }

    async leaveSession(sessionId: string): Promise<void> {
        this.calls.push(`leave ${sessionId}`);
    }

    async sendPrompt(_sessionId: string, prompt: SessionPrompt): Promise<Answer<void>> {
        this.prompts.push(prompt);
        return this.promptResult;
    }

    async cancelTurn(_sessionId: string, turnId: string): Promise<Answer<void>> {
        this.calls.push(`cancel ${turnId}`);
        return { ok: true, value: undefined };
    }

    async rewind(_sessionId: string, turnId: string): Promise<Answer<void>> {
        this.calls.push(`rewind ${turnId}`);
        return this.rewindResult;
    }

    async answerPermission(_sessionId: string, id: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>> {
        this.votes.push({ id, answer });
        return this.voteResult;
    }

    async setModel(_sessionId: string, modelId: string): Promise<Answer<void>> {
        this.calls.push(`model ${modelId}`);
        return { ok: true, value: undefined };
    }

    async setApprovalMode(_sessionId: string, modeId: string): Promise<Answer<void>> {
        this.calls.push(`mode ${modeId}`);
        return { ok: true, value: undefined };
    }

    async readDiff(): Promise<DiffTexts | undefined> {
        return this.diff;
    }
}
