// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/qwen-daemon.css';

import { ChatContentDeserializerContribution } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { ChangeSetActionRenderer } from '@theia/ai-chat-ui/lib/browser/change-set-actions/change-set-action-service';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { ChatWelcomeMessageProvider } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { FrontendApplicationContribution, KeybindingContribution, open, OpenerService } from '@theia/core/lib/browser';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { PromptService, TokenUsageService } from '@theia/ai-core/lib/common';
import { CommandContribution } from '@theia/core/lib/common/command';
import { QuickInputService } from '@theia/core/lib/common/quick-pick-service';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { ContainerModule } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { ContextTracker } from 'theia-cli-companion/lib/browser';
import { ContributionGuard, visibleText } from 'theia-cli-companion/lib/common';
import { bindDaemonPreferences } from '../common/daemon-preferences';
import { AttachedFiles } from './chat/attached-files';
import { ChatRestorer, PageMemory } from './chat/chat-restorer';
import { ConversationPage } from './chat/conversation-page';
import { Conversations, QWEN_AGENT_ID } from './chat/conversations';
import { AttachedFilePath, EditorContextSource, QwenChatAgent } from './chat/qwen-chat-agent';
import { ChatView } from './chat/chat-view';
import { QwenChatView } from './chat/qwen-chat-view';
import { QwenDaemonCommandContribution } from './commands/qwen-daemon-commands';
import { createBackendLinkFactory } from './connection/backend-link';
import { BackendConnection, BackendLinkFactory, TrustSource, WorkspaceRoots } from './connection/backend-connection';
import { TheiaTrust } from './connection/theia-trust';
import { EditDiffResourceResolver } from './diff/edit-diff-resource-resolver';
import { EditDiffs } from './diff/edit-diffs';
import { AnswerRenderer } from './parts/answer-renderer';
import { NoticeRenderer, TurnMarkerRenderer } from './parts/notice-renderers';
import { PermissionRenderer } from './parts/permission-renderer';
import { QwenContentDeserializers } from './parts/response-parts';
import { ToolRenderer } from './parts/tool-renderer';
import { QwenDaemonActivation } from './qwen-daemon-activation';
import { TurnUndoing } from './undo/turn-undoing';
import { UndoTurnAction } from './undo/undo-turn-action';
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

    bind<ConversationPage>(ConversationPage).toDynamicValue(({ container }) => {
        const diffs = container.get(EditDiffs);
        return {
            view: container.get<ChatView>(ChatView),
            offerCommands: commands => {
                const prompts = container.get<PromptService>(PromptService);
                for (const { name, description, hint } of commands) {
                    const id = `${QWEN_AGENT_ID}/${name}`;
                    prompts.removePromptFragment(id);
                    prompts.addBuiltInPromptFragment({
                        ...{ id, template: `/${name}`, isCommand: true, commandName: name, commandAgents: [QWEN_AGENT_ID] },
                        commandDescription: visibleText(description),
                        commandArgumentHint: visibleText(hint)
                    });
                }
            },
            askText: prompt => container.get<QuickInputService>(QuickInputService).input({ prompt, ignoreFocusLost: true }),
            openDiff: (edit, diff) => diffs.openForPermission(edit, diff),
            closeDiff: edit => diffs.closeForPermission(edit),
            showSince: (edit, diff) => diffs.showSince(edit, diff),
            openFile: async uri => void (await open(container.get<OpenerService>(OpenerService), uri)),
            takeBack: file => container.get(TurnUndoing).takeBack(file),
            countTokens: (model, requestId, { inputTokens, outputTokens, cachedReadTokens }) =>
                void container
                    .get<TokenUsageService>(TokenUsageService)
                    .recordTokenUsage(model, { requestId, inputTokens, outputTokens, readCachedInputTokens: cachedReadTokens })
        };
    });
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

    bind(AttachedFiles).toSelf().inSingletonScope();
    bind<AttachedFilePath>(AttachedFilePath).toDynamicValue(({ container }) => {
        const files = container.get(AttachedFiles);
        return name => files.path(name);
    });
    bind<EditorContextSource>(EditorContextSource).toDynamicValue(({ container }) => {
        const tracker = container.isBound(ContextTracker) ? container.get<ContextTracker>(ContextTracker) : undefined;
        return () => {
            const active = tracker?.shared.workspaceState?.openFiles?.find(({ isActive }) => isActive);
            return active && { path: active.path, cursor: active.cursor, selectedText: active.selectedText };
        };
    });
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
    bind(UndoTurnAction).toSelf().inSingletonScope();
    bind(ChangeSetActionRenderer).toService(UndoTurnAction);

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
