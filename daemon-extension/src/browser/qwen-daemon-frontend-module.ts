// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/qwen-daemon.css';

import { ChatContentDeserializerContribution } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ChatWelcomeMessageProvider } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { FrontendApplicationContribution, LabelProviderContribution } from '@theia/core/lib/browser';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution } from '@theia/core/lib/common/command';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { AnswerGuard, ContextTracker, PageChanges, WaitingAgentContribution } from 'theia-cli-companion/lib/browser';
import { ContributionGuard } from 'theia-cli-companion/lib/common';
import { bindDaemonPreferences } from '../common/daemon-preferences';
import { ChatChanges, CompanionChanges } from './chat/chat-changes';
import { ChatRestorer, PageMemory } from './chat/chat-restorer';
import { ChatView, ConversationPage } from './chat/conversation-page';
import { Conversations } from './chat/conversations';
import { EditorChip, CompanionContext } from './chat/editor-chip';
import { QwenChatAgent } from './chat/qwen-chat-agent';
import { QwenChatView } from './chat/qwen-chat-view';
import { TheiaPage } from './chat/theia-page';
import { QwenDaemonCommandContribution } from './commands/qwen-daemon-commands';
import { BackendConnection, BackendLinkFactory, createBackendLinkFactory, PageInfoSource } from './connection/backend-connection';
import { TheiaWorkspace } from './connection/theia-workspace';
import { EditDiffResourceResolver } from './diff/edit-diff-resources';
import { EditDiffs } from './diff/edit-diffs';
import { AnswerRenderer } from './parts/answer-renderer';
import { PermissionRenderer } from './parts/permission-renderer';
import { QwenContentDeserializers } from './parts/qwen-content-deserializers';
import { QuestionRenderer } from './parts/question-renderer';
import { ToolRenderer } from './parts/tool-renderer';
import { QwenDaemonActivation } from './qwen-daemon-activation';
import { DaemonStatusBar } from './status/daemon-status-bar';
import { QwenWelcome } from './status/qwen-welcome';
import { ProblemRenderer } from './status/problem-renderer';
import { AnswerGate } from './waiting/answer-gate';
import { WaitingPermissions } from './waiting/waiting-permissions';

const singletons = [
    ...[BackendConnection, Conversations, WaitingPermissions, QwenChatAgent, QwenChatView, ChatRestorer, EditorChip, QwenDaemonActivation],
    ...[QwenDaemonCommandContribution, ChatChanges, EditDiffs, EditDiffResourceResolver, DaemonStatusBar, QwenWelcome]
];

export default new ContainerModule(bind => {
    const guard = new ContributionGuard('Qwen daemon');
    bindDaemonPreferences(bind);
    singletons.forEach(type => bind<object>(type).toSelf().inSingletonScope());

    bind(BackendLinkFactory)
        .toDynamicValue(({ container }) => createBackendLinkFactory(container))
        .inSingletonScope();
    bind(PageInfoSource).to(TheiaWorkspace).inSingletonScope();
    bind(ConversationPage).to(TheiaPage).inSingletonScope();
    const ofCompanion =
        <T>(type: interfaces.Newable<T>) =>
        ({ container }: interfaces.Context) =>
        (): T | undefined => {
            try {
                return guard.get(container, type);
            } catch {
                return undefined;
            }
        };
    bind<CompanionContext>(CompanionContext).toDynamicValue(ofCompanion(ContextTracker));
    bind<CompanionChanges>(CompanionChanges).toDynamicValue(ofCompanion(PageChanges));
    bind<AnswerGate>(AnswerGate).toDynamicValue(({ container }) => container.get(AnswerGuard));
    bind(ChatView).toService(QwenChatView);
    bind<PageMemory>(PageMemory).toDynamicValue(() => window.sessionStorage);

    for (const type of [QwenChatView, WaitingPermissions, EditorChip, QwenDaemonActivation, DaemonStatusBar]) {
        guard.contribute(bind, FrontendApplicationContribution, type, 'onStart');
    }
    guard.contribute(bind, CommandContribution, QwenDaemonCommandContribution, 'registerCommands');
    guard.contribute(bind, WaitingAgentContribution, WaitingPermissions, 'waitingAgents');
    guard.contribute(bind, TabBarToolbarContribution, QwenDaemonCommandContribution, 'registerToolbarItems');

    guard.contribute(bind, LabelProviderContribution, EditorChip, 'canHandle');
    bind(ChatContentDeserializerContribution).to(QwenContentDeserializers).inSingletonScope();
    for (const renderer of [AnswerRenderer, PermissionRenderer, QuestionRenderer, ProblemRenderer, ToolRenderer]) {
        bind(ChatResponsePartRenderer).to(renderer).inSingletonScope();
    }
    bind(ChatWelcomeMessageProvider).toService(QwenWelcome);
    bind<ResourceResolver>(ResourceResolver).toDynamicValue(({ container }) => ({
        resolve: async uri => guard.get(container, EditDiffResourceResolver).resolve(uri)
    }));
});
