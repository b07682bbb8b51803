// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { DEFAULT_CHAT_AGENT_PREF } from '@theia/ai-chat/lib/common/ai-chat-preferences';
import { AgentService } from '@theia/ai-core/lib/common';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { ILogger } from '@theia/core/lib/common/logger';
import { PreferenceSchemaService, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { DAEMON_URL_VARIABLE, DaemonPreferences } from '../common/daemon-preferences';
import { ChatRestorer } from './chat/chat-restorer';
import { Conversations } from './chat/conversations';
import { QwenChatAgent } from './chat/qwen-chat-agent';
import { BackendConnection } from './connection/backend-connection';

/** Offers the agent while the daemon is enabled, by the preference or by the backend's environment. */
@injectable()
export class QwenDaemonActivation implements FrontendApplicationContribution {
    @inject(DaemonPreferences)
    protected readonly preferences: DaemonPreferences;
    @inject(PreferenceService)
    protected readonly preferenceService: PreferenceService;
    @inject(PreferenceSchemaService)
    protected readonly preferenceSchema: PreferenceSchemaService;
    @inject(EnvVariablesServer)
    protected readonly environment: EnvVariablesServer;
    @inject(FrontendApplicationStateService)
    protected readonly application: FrontendApplicationStateService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(AgentService)
    protected readonly agents: AgentService;
    @inject(ChatAgentService)
    protected readonly chatAgents: ChatAgentService;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;
    @inject(ChatRestorer)
    protected readonly restorer: ChatRestorer;
    @inject(ILogger)
    @named('qwen-daemon:QwenDaemonActivation')
    protected readonly logger: ILogger;

    protected enabledByEnvironment = false;
    protected readonly asDefault = new DisposableCollection();
    protected readonly toDisposeOnDisable = new DisposableCollection();

    onStart(): void {
        // Not awaited: nothing of the application waits for this experiment.
        this.start().catch(error => this.logger.error("The Qwen daemon's chat agent could not be offered", error));
    }

    protected async start(): Promise<void> {
        const [variable] = await Promise.all([
            this.environment.getValue(DAEMON_URL_VARIABLE),
            this.preferenceService.ready,
            this.workspace.roots,
            // The chat view makes its first chat while the layout is restored.
            this.application.reachedState('ready')
        ]);
        this.enabledByEnvironment = !!variable?.value;
        this.preferences.onPreferenceChanged(() => this.update());
        this.update();
    }

    protected update(): void {
        const enabled = this.enabledByEnvironment || this.preferences['qwen-code.experimentalDaemon.enabled'];
        if (enabled && !this.connection.enabled) {
            this.connection.enable();
            this.offerAgent();
            this.restorer.restore().catch(error => this.logger.warn('The chat shown before the reload could not be restored', error));
        } else if (!enabled && this.connection.enabled) {
            this.connection.disable();
            this.toDisposeOnDisable.dispose();
        }
    }

    protected offerAgent(): void {
        this.agents.registerAgent(this.agent);
        this.chatAgents.registerChatAgent(this.agent);
        this.updateDefault();
        this.toDisposeOnDisable.pushAll([
            Disposable.create(() => {
                this.asDefault.dispose();
                this.chatAgents.unregisterChatAgent(this.agent.id);
                this.agents.unregisterAgent(this.agent.id);
            }),
            this.chats.onSessionEvent(event => event.type === 'deleted' && this.conversations.forget(event.sessionId)),
            this.chatAgents.onDidChangeAgents(() => this.updateDefault())
        ]);
    }

    /**
     * Where there is no other agent, a message without a mention is for this one; Theia would drop it. As the preference's default value, this
     * gives way to the user's choice and to an agent that the application names.
     */
    protected updateDefault(): void {
        const isOnly = this.chatAgents.getAllAgents().every(({ id }) => id === this.agent.id);
        if (!isOnly) {
            this.asDefault.dispose();
        } else if (this.asDefault.disposed) {
            this.asDefault.push(this.preferenceSchema.registerOverride(DEFAULT_CHAT_AGENT_PREF, undefined, this.agent.id));
        }
    }
}
