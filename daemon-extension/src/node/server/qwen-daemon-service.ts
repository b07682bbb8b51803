// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { Disposable } from '@theia/core/lib/common/disposable';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { DaemonProblem } from '../../common/daemon-problem';
import {
    Answer,
    DaemonStatus,
    DiffTexts,
    EditReference,
    OpenedSession,
    OpenSessionRequest,
    PageInfo,
    PermissionAnswer,
    QwenDaemonBackend,
    QwenDaemonPage,
    SessionPrompt,
    WorkspaceTrust
} from '../../common/qwen-daemon-protocol';
import { SessionCommands } from '../session/session-commands';
import { DaemonWorkspace } from './daemon-workspace';
import { DaemonWorkspaces, WorkspaceUser } from './daemon-workspaces';

const notOpened = { ok: false, problem: { code: 'invalid' } } as const;

/**
 * One connection of one page: checks what the page sends and hands it on. Everything else lives in the root container, since
 * this ends with every reload and, by default, with every drop of the socket.
 */
export class QwenDaemonService implements QwenDaemonBackend, WorkspaceUser, Disposable {
    protected root: string | undefined;
    /** Settles when the folder that the page said last is known. */
    protected greeting: Promise<unknown> = Promise.resolve();
    protected trust: WorkspaceTrust = 'untrusted';
    protected introduced = false;
    protected disposed = false;
    protected readonly statusListener: Disposable;
    protected readonly opened = new Map<string, { commands: SessionCommands; watch: Disposable }>();

    readonly sendPrompt = this.toSession((commands, prompt: SessionPrompt) => commands.sendPrompt(prompt));
    readonly cancelTurn = this.toSession((commands, turnId: string) => commands.cancelTurn(turnId));
    readonly rewind = this.toSession((commands, turnId: string) => commands.rewind(turnId));
    readonly answerPermission = this.toSession((commands, id: string, answer: PermissionAnswer) => commands.answerPermission(id, answer));
    readonly setModel = this.toSession((commands, modelId: string) => commands.setModel(modelId));
    readonly setApprovalMode = this.toSession((commands, modeId: string) => commands.setApprovalMode(modeId));

    constructor(
        protected readonly workspaces: DaemonWorkspaces,
        protected readonly page: QwenDaemonPage
    ) {
        workspaces.users.add(this);
        this.statusListener = workspaces.onDidChangeStatus(() => void this.tellStatus());
    }

    async hello(page: PageInfo): Promise<DaemonStatus> {
        const { roots, trust } = page;
        // Before anything is awaited: what the page says last counts.
        this.trust = trust;
        const root = roots.find(uri => uri.startsWith('file:'));
        const looking = root ? fs.realpath(FileUri.fsPath(root)).catch(() => undefined) : Promise.resolve(undefined);
        this.greeting = looking;
        const real = await looking;
        if (this.greeting !== looking) {
            // A slow look at the folder before must not take its place.
            await this.greeting;
            return this.status();
        }
        if (this.root !== real || this.refusal) {
            this.leaveAll();
        }
        this.root = real;
        this.introduced = true;
        if (real && this.refusal) {
            this.workspaces.endUnused(real);
        }
        return this.status();
    }

    async connect(): Promise<DaemonStatus> {
        const workspace = await this.workspace();
        if (!('code' in workspace)) {
            // The status says why it failed.
            await workspace.connection.connectNow().catch(() => undefined);
        }
        return this.status();
    }

    async openSession(request: OpenSessionRequest): Promise<Answer<OpenedSession>> {
        const workspace = await this.workspace();
        if ('code' in workspace) {
            return { ok: false, problem: workspace };
        }
        const { root } = this;
        // It becomes a part of paths.
        if (request.sessionId && !/^[0-9a-f-]{36}$/i.test(request.sessionId)) {
            return notOpened;
        }
        const answer = await workspace.open(request);
        await this.greeting;
        if (answer.ok && (this.root !== root || this.refusal)) {
            // No page shows it, which would keep it for ever.
            workspace.show(answer.value, () => undefined).dispose();
        }
        if (this.root !== root) {
            // The page has opened another folder meanwhile: there it must not work in this one.
            return notOpened;
        }
        if (this.refusal) {
            // Meanwhile.
            return { ok: false, problem: this.refusal };
        }
        if (!answer.ok) {
            return answer;
        }
        const { session } = answer.value;
        const value = { session: session.info(), events: session.log.read() };
        this.watch(workspace, answer.value);
        return { ok: true, value };
    }

    async leaveSession(sessionId: string): Promise<void> {
        // As every call does: what was asked in the session just before goes first.
        await this.greeting;
        this.leave(sessionId);
    }

    async readDiff(sessionId: string, edit: EditReference): Promise<DiffTexts | undefined> {
        return this.opened.get(sessionId)?.commands.session.edits.diff(edit);
    }

    dispose(): void {
        this.disposed = true;
        this.workspaces.users.delete(this);
        this.statusListener.dispose();
        this.leaveAll();
    }

    get worksIn(): string | undefined {
        return this.refusal ? undefined : this.root;
    }

    /** Why nothing of the daemon may be started or used, if that is so. */
    protected get refusal(): DaemonProblem | undefined {
        if (this.workspaces.isForbidden) {
            return { code: 'policy' };
        }
        return this.trust === 'trusted' ? undefined : { code: this.trust };
    }

    protected async status(): Promise<DaemonStatus> {
        const status = await this.workspaces.status(this.root);
        const isRefused = this.refusal && this.root !== undefined && status.state !== 'off';
        return isRefused ? { ...status, state: 'refused', problem: this.refusal } : status;
    }

    protected async tellStatus(): Promise<void> {
        if (this.introduced) {
            this.page.notifyStatus(await this.status());
        }
    }

    protected watch(workspace: DaemonWorkspace, commands: SessionCommands): void {
        const { sessionId } = commands.session;
        // A session that nobody showed may have been let go, and be another object now.
        if (this.opened.get(sessionId)?.commands !== commands) {
            this.leave(sessionId);
            this.opened.set(sessionId, { commands, watch: workspace.show(commands, events => this.page.notifyEvents(events)) });
        }
        if (this.disposed) {
            this.leaveAll();
        }
    }

    /** Hands a call on to the commands of a session: of those, a page reaches the ones that it opened. */
    protected toSession<Args extends unknown[], T>(
        call: (commands: SessionCommands, ...args: Args) => Promise<Answer<T>>
    ): (sessionId: string, ...args: Args) => Promise<Answer<T>> {
        return async (sessionId, ...args) => {
            await this.greeting;
            if (this.refusal) {
                return { ok: false, problem: this.refusal };
            }
            const opened = this.opened.get(sessionId);
            return opened ? call(opened.commands, ...args) : notOpened;
        };
    }

    /** While the daemon is off, or not trusted, no page opens a workspace. */
    protected async workspace(): Promise<DaemonWorkspace | DaemonProblem> {
        const isEnabled = await this.workspaces.isEnabled();
        await this.greeting;
        if (!isEnabled) {
            return { code: 'off' };
        }
        if (this.root === undefined) {
            return { code: 'no-workspace' };
        }
        return this.refusal ?? this.workspaces.workspace(this.root);
    }

    protected leave(sessionId: string): void {
        this.opened.get(sessionId)?.watch.dispose();
        this.opened.delete(sessionId);
    }

    protected leaveAll(): void {
        this.opened.forEach(({ watch }) => watch.dispose());
        this.opened.clear();
        if (this.root !== undefined) {
            this.workspaces.endUnusedLater(this.root);
        }
    }
}
