// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/qwen-daemon.css';

import { ChatContentDeserializerContribution } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { ChangeSetActionRenderer } from '@theia/ai-chat-ui/lib/browser/change-set-actions/change-set-action-service';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ChatWelcomeMessageProvider } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { FrontendApplicationContribution, KeybindingContribution } from '@theia/core/lib/browser';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution } from '@theia/core/lib/common/command';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { ContainerModule } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { ContributionGuard } from 'theia-cli-companion/lib/common';
import { bindDaemonPreferences } from '../common/daemon-preferences';
import { ChatRestorer, PageMemory } from './chat/chat-restorer';
import { ChatView, ConversationPage } from './chat/conversation-page';
import { Conversations } from './chat/conversations';
import { QwenChatAgent } from './chat/qwen-chat-agent';
import { QwenChatView } from './chat/qwen-chat-view';
import { TheiaPage } from './chat/theia-page';
import { QwenDaemonCommandContribution } from './commands/qwen-daemon-commands';
import { createBackendLinkFactory } from './connection/backend-link';
import { BackendConnection, BackendLinkFactory, TrustSource, WorkspaceRoots } from './connection/backend-connection';
import { TheiaTrust } from './connection/theia-trust';
import { EditDiffResourceResolver } from './diff/edit-diff-resources';
import { EditDiffs } from './diff/edit-diffs';
import { AnswerRenderer, NoticeRenderer, TurnMarkerRenderer } from './parts/answer-renderers';
import { PermissionRenderer } from './parts/permission-renderer';
import { QwenContentDeserializers } from './parts/response-parts';
import { ToolRenderer } from './parts/tool-renderer';
import { QwenDaemonActivation } from './qwen-daemon-activation';
import { TurnUndoing } from './undo/turn-undoing';
import { DaemonStatusBar } from './status/daemon-status-bar';
import { QwenWelcome } from './status/qwen-welcome';
import { ProblemRenderer } from './status/problem-renderer';
import { WaitingContribution } from './waiting/waiting-contribution';
import { WaitingPermissions } from './waiting/waiting-permissions';

export default new ContainerModule(bind => {
    const guard = new ContributionGuard('Qwen daemon');
    bindDaemonPreferences(bind);

    bind(BackendLinkFactory)
        .toDynamicValue(({ container }) => createBackendLinkFactory(container))
        .inSingletonScope();
    bind<WorkspaceRoots>(WorkspaceRoots).toDynamicValue(({ container }) => {
        const workspace = container.get<WorkspaceService>(WorkspaceService);
        return () => workspace.tryGetRoots().map(root => root.resource.toString());
    });
    bind(TrustSource).to(TheiaTrust).inSingletonScope();
    bind(BackendConnection).toSelf().inSingletonScope();

    bind(ConversationPage).to(TheiaPage).inSingletonScope();
    bind(QwenChatView).toSelf().inSingletonScope();
    bind(ChatView).toDynamicValue(({ container }) => container.get(QwenChatView));
    guard.contribute(bind, FrontendApplicationContribution, QwenChatView, 'onStart');
    bind(Conversations).toSelf().inSingletonScope();
    bind(WaitingPermissions).toSelf().inSingletonScope();
    guard.contribute(bind, FrontendApplicationContribution, WaitingPermissions, 'onStart');
    bind(WaitingContribution).toSelf().inSingletonScope();
    guard.contribute(bind, CommandContribution, WaitingContribution, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, WaitingContribution, 'registerKeybindings');
    guard.contribute(bind, TabBarToolbarContribution, WaitingContribution, 'registerToolbarItems');

    bind(QwenChatAgent).toSelf().inSingletonScope();

    bind<PageMemory>(PageMemory).toDynamicValue(() => window.sessionStorage);
    bind(ChatRestorer).toSelf().inSingletonScope();

    bind(QwenDaemonActivation).toSelf().inSingletonScope();
    guard.contribute(bind, FrontendApplicationContribution, QwenDaemonActivation, 'onStart');

    bind(ChatContentDeserializerContribution).to(QwenContentDeserializers).inSingletonScope();
    for (const renderer of [AnswerRenderer, TurnMarkerRenderer, NoticeRenderer, PermissionRenderer, ProblemRenderer, ToolRenderer]) {
        bind(ChatResponsePartRenderer).to(renderer).inSingletonScope();
    }

    bind(TurnUndoing).toSelf().inSingletonScope();
    bind(ChangeSetActionRenderer).toService(TurnUndoing);

    bind(EditDiffs).toSelf().inSingletonScope();
    bind(EditDiffResourceResolver).toSelf().inSingletonScope();
    bind<ResourceResolver>(ResourceResolver).toDynamicValue(({ container }) => ({
        resolve: async uri => guard.get(container, EditDiffResourceResolver).resolve(uri)
    }));

    bind(DaemonStatusBar).toSelf().inSingletonScope();
    guard.contribute(bind, FrontendApplicationContribution, DaemonStatusBar, 'onStart');
    bind(QwenWelcome).toSelf().inSingletonScope();
    bind(ChatWelcomeMessageProvider).toService(QwenWelcome);

    bind(QwenDaemonCommandContribution).toSelf().inSingletonScope();
    guard.contribute(bind, CommandContribution, QwenDaemonCommandContribution, 'registerCommands');
});
