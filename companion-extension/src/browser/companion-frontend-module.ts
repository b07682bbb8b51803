// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/companion.css';

import { FrontendApplicationContribution, KeybindingContribution, WidgetFactory } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { MonacoEditorProvider } from '@theia/monaco/lib/browser/monaco-editor-provider';
import { MonacoEditorModelFactory } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { FileUploadServiceImpl } from '@theia/filesystem/lib/browser/upload/file-upload-service-impl';
import { TerminalContribution } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { ProblemManager } from '@theia/markers/lib/browser/problem/problem-manager';
import { PreferenceContribution, PreferenceSchemaService } from '@theia/core/lib/common/preferences';
import { SystemClock } from '../common/clock';
import { bindCompanionPreferences, CompanionPreferences } from '../common/companion-preferences';
import { AgentsBackend, agentsPath } from '../common/agents-protocol';
import { ChangesBackend, changesPath } from '../common/changes/changes-protocol';
import { CompanionBackend, CompanionPage, companionPath } from '../common/companion-protocol';
import { ContextBackend, contextPath } from '../common/context-protocol';
import { DoctorBackend, doctorPath } from '../common/doctor-protocol';
import { PromptBackend, promptPath } from '../common/prompt-protocol';
import { ReviewBackend, reviewPath } from '../common/review-protocol';
import { ContributionGuard } from '../common/contribution-guard';
import { AgentCommands } from './agents/agent-commands';
import { AgentNews } from './agents/agent-news';
import { AgentTabs } from './agents/agent-tabs';
import { AgentsStatus } from './agents/agents-status';
import { PageAgents } from './agents/page-agents';
import { AcceptedChanges } from './changes/accepted-changes';
import { ChangeDiffs } from './changes/change-diff';
import { ChangeOffer } from './changes/change-offer';
import { ChangeUndo } from './changes/change-undo';
import { ChangesContribution } from './changes/changes-contribution';
import { ChangesStatus } from './changes/changes-status';
import { CHANGES_VIEW_ID, ChangesView } from './changes/changes-view';
import { PageChanges } from './changes/page-changes';
import { UnaskedMessages } from './changes/unasked-messages';
import { ContextContribution } from './context/context-contribution';
import { ContextFilter, PreferenceContextFilter } from './context/context-filter';
import { IgnoreFiles } from './context/ignore-files';
import { SharingStatus } from './context/sharing-status';
import { SharedDiagnostics } from './context/shared-diagnostics';
import { ContextTracker } from './context/context-tracker';
import { DoctorContribution } from './doctor/doctor-contribution';
import { FixStatus } from './doctor/fix-status';
import { LogContribution } from './doctor/log-contribution';
import { PageEndpoint } from './page-endpoint';
import { AnswerGuard } from './window/answer-guard';
import { FileEditors } from './diff/file-editors';
import { FileEncodings } from './diff/file-encodings';
import { FileLooks } from './diff/file-looks';
import { HeldKeys } from './window/held-keys';
import { KeptEditMessages } from './review/kept-edit-messages';
import { KeptEditStatus } from './review/kept-edit-status';
import { KeptEdits } from './review/kept-edits';
import { OriginalContents } from './diff/original-contents';
import { PageReviews } from './review/page-reviews';
import { ProposalModelFactory, ReviewResourceResolver } from './review/review-resource-resolver';
import { ReviewBars } from './review/review-bars';
import { ReviewCommands } from './review/review-commands';
import { ReviewEditors } from './review/review-editors';
import { ReviewFocus } from './review/review-focus';
import { ReviewMessages } from './review/review-messages';
import { ReviewNotices } from './review/review-notices';
import { ReviewStatus } from './review/review-status';
import { releaseReviewEditors } from './review/review-openers';
import { PROPOSED_SCHEME } from './review/review-uris';
import { ReviewsContribution } from './review/reviews-contribution';
import { SeenGuard } from './review/seen-guard';
import { SyncedModels } from './review/synced-models';
import { UnsentTexts } from './review/unsent-texts';
import { WaitingReviews } from './review/waiting-reviews';
import { WrittenFiles } from './review/written-files';
import { CompanionStatusContribution } from './status/companion-status';
import { CompanionSections } from './status/companion-sections';
import { StatusCommands } from './status/status-commands';
import { StatusPick } from './status/status-pick';
import { CliTerminals } from './window/cli-terminals';
import { CliStarter } from './terminal/cli-starter';
import { CliStatus } from './terminal/cli-status';
import { ConnectCommands } from './terminal/connect-commands';
import { CliPrompt } from './terminal/cli-prompt';
import { PromptDrops } from './terminal/prompt-drops';
import { PromptUploads } from './terminal/prompt-uploads';
import { PromptContribution } from './terminal/prompt-contribution';
import { RejectWithReason } from './terminal/reject-with-reason';
import { NewLineKey } from './terminal/new-line-key';
import { ReplayedQueries } from './terminal/replayed-queries';
import { IdeModeQuestion } from './terminal/ide-mode-question';
import { RunContribution } from './terminal/run-contribution';
import { TerminalWindowId } from './terminal/terminal-window-id';
import { ClosableMessages } from './window/closable-messages';
import { CompanionConnection } from './window/companion-connection';
import { StatusSectionContribution } from './window/status-section-contribution';
import { StatusList } from './window/status-list';
import { TheiaInternals } from './window/theia-internals';
import { WindowIdentity } from './window/window-identity';
import { ScopedPreferences } from './window/scoped-preferences';
import { WorkspacePaths } from './window/workspace-paths';

/** What features call in the backend, by their paths. */
const BACKENDS = [
    [AgentsBackend, agentsPath],
    [ChangesBackend, changesPath],
    [ContextBackend, contextPath],
    [DoctorBackend, doctorPath],
    [PromptBackend, promptPath],
    [ReviewBackend, reviewPath]
] as const;

function bindServices(bind: interfaces.Bind, ...services: Array<interfaces.Newable<unknown>>): void {
    services.forEach(service => bind(service).toSelf().inSingletonScope());
}

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    bindCompanionPreferences(bind);
    // Monaco would ask in a dialog of the browser, which stops the page, when a file is shown that a CLI has written.
    bind(PreferenceContribution).toConstantValue({
        initSchema: async (schemas: PreferenceSchemaService) =>
            void schemas.registerOverride('editor.unusualLineTerminators', undefined, 'off')
    });
    bindServices(
        bind,
        CliTerminals,
        ClosableMessages,
        CompanionConnection,
        ScopedPreferences,
        TheiaInternals,
        WindowIdentity,
        WorkspacePaths
    );
    bindServices(bind, ContextContribution, ContextTracker, IgnoreFiles);
    bindServices(
        bind,
        AnswerGuard,
        FileEditors,
        FileEncodings,
        FileLooks,
        HeldKeys,
        KeptEditMessages,
        KeptEdits,
        OriginalContents,
        ProposalModelFactory
    );
    bindServices(bind, ReviewBars, ReviewCommands, ReviewEditors, ReviewFocus, ReviewMessages, ReviewNotices, ReviewResourceResolver);
    bindServices(bind, ReviewsContribution, SyncedModels, WaitingReviews, WrittenFiles);
    bindServices(bind, CompanionStatusContribution, CompanionSections, StatusCommands, StatusPick);
    bindServices(bind, ReviewStatus, KeptEditStatus, ChangesStatus, AgentsStatus, CliStatus, SharingStatus, FixStatus);
    bindServices(bind, CliPrompt, CliStarter, ConnectCommands, IdeModeQuestion, PromptContribution, RejectWithReason);
    bindServices(bind, AcceptedChanges, ChangeDiffs, ChangeOffer, ChangeUndo, ChangesContribution, PageChanges, UnaskedMessages);
    bindServices(bind, FileUploadServiceImpl, NewLineKey, PromptDrops, PromptUploads, ReplayedQueries, RunContribution);
    bindServices(bind, AgentCommands, AgentNews, AgentTabs, PageAgents);
    bindServices(bind, DoctorContribution, LogContribution);

    // Binds everything that Theia takes or calls.
    const guard = new ContributionGuard();
    bind(ContributionGuard).toConstantValue(guard);
    const starts = (...services: Array<interfaces.ServiceIdentifier<FrontendApplicationContribution>>): void =>
        services.forEach(service => guard.contribute(bind, FrontendApplicationContribution, service));
    starts(CompanionConnection, ContextTracker, ReviewBars, ReviewMessages, WrittenFiles, ReviewsContribution);
    starts(KeptEdits, HeldKeys, SyncedModels);
    starts(PageAgents, AgentTabs, AgentNews);
    starts(PageChanges, AcceptedChanges, ChangeDiffs, ChangesContribution, UnaskedMessages);
    starts(RunContribution, CompanionStatusContribution, LogContribution);
    const hasCommands = (...services: Array<interfaces.ServiceIdentifier<CommandContribution>>): void =>
        services.forEach(service => guard.contribute(bind, CommandContribution, service, 'registerCommands'));
    hasCommands(ContextContribution, KeptEdits, ReviewCommands, PromptContribution);
    hasCommands(AgentCommands, ChangesContribution, ConnectCommands, RejectWithReason, CompanionStatusContribution, StatusCommands);
    hasCommands(LogContribution, DoctorContribution);

    bindRootContributionProvider(bind, StatusSectionContribution);
    [ReviewStatus, KeptEditStatus, ChangesStatus, AgentsStatus, CliStatus, SharingStatus, FixStatus, CompanionSections].forEach(service =>
        guard.contribute<StatusSectionContribution, 'sections'>(bind, StatusSectionContribution, service, 'sections')
    );

    const makes = <T>(service: interfaces.ServiceIdentifier<T>, make: (container: interfaces.Container) => T): void => {
        bind<T>(service)
            .toDynamicValue(({ container }) => make(container))
            .inSingletonScope();
    };
    makes<CompanionPage>(CompanionPage, container => new PageEndpoint(container, guard));
    makes<CompanionBackend>(CompanionBackend, container =>
        ServiceConnectionProvider.createProxy(container, companionPath, container.get<CompanionPage>(CompanionPage))
    );
    for (const [service, path] of BACKENDS) {
        makes<object>(service, container => ServiceConnectionProvider.createProxy(container, path));
    }

    makes<StatusList>(StatusList, container => container.get(StatusPick));
    bind(ContextFilter).to(PreferenceContextFilter).inSingletonScope();
    makes(
        SharedDiagnostics,
        container => new SharedDiagnostics(container.get(ProblemManager), container.get(ContextFilter), container.get(CompanionBackend))
    );
    guard.contribute(bind, ResourceResolver, ContextContribution);
    guard.contribute(bind, ResourceResolver, DoctorContribution);

    guard.contribute(bind, ResourceResolver, ReviewResourceResolver);
    guard.contribute(bind, ResourceResolver, ChangeDiffs);
    bind(WidgetFactory).toDynamicValue(({ container }) => ({
        id: CHANGES_VIEW_ID,
        createWidget: () => ChangesView.create(container)
    }));
    bind<MonacoEditorModelFactory>(MonacoEditorModelFactory).toDynamicValue(({ container }) => ({
        scheme: PROPOSED_SCHEME,
        createModel: resource => guard.get(container, ProposalModelFactory).createModel(resource)
    }));
    onActivation<MonacoEditorProvider>(MonacoEditorProvider, ({ container }, provider) => {
        try {
            return releaseReviewEditors(provider, container.get(TheiaInternals));
        } catch {
            // Closed reviews then stay in memory, but every editor opens.
            return provider;
        }
    });
    makes(UnsentTexts, container => {
        const connection = container.get(CompanionConnection);
        return new UnsentTexts(() => connection.state?.installation);
    });
    makes(PageReviews, container => {
        const preferences = container.get<CompanionPreferences>(CompanionPreferences);
        return new PageReviews({
            page: container.get(WindowIdentity).loadId,
            clock: new SystemClock(),
            calls: container.get(CompanionConnection).calls,
            backend: container.get<ReviewBackend>(ReviewBackend),
            views: () => container.get(ReviewEditors),
            store: container.get(UnsentTexts),
            onTabClose: () => preferences['companion.review.onTabClose'],
            opensByItself: () => preferences['companion.review.open'] !== 'never'
        });
    });
    makes(SeenGuard, container => {
        const editors = container.get(ReviewEditors);
        return new SeenGuard({
            reviews: container.get(PageReviews),
            clock: new SystemClock(),
            guard: container.get(AnswerGuard),
            page: container.get(WindowIdentity).loadId,
            isOnScreen: id => editors.isOnScreen(id)
        });
    });
    guard.contribute(bind, KeybindingContribution, KeptEdits, 'registerKeybindings');
    guard.contribute(bind, KeybindingContribution, ReviewCommands, 'registerKeybindings');
    guard.contribute(bind, KeybindingContribution, PromptContribution, 'registerKeybindings');
    guard.contribute(bind, KeybindingContribution, AgentCommands, 'registerKeybindings');
    guard.contribute(bind, KeybindingContribution, ChangesContribution, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, ChangesContribution, 'registerMenus');
    guard.contribute(bind, TabBarToolbarContribution, ChangesContribution, 'registerToolbarItems');
    guard.contribute(bind, MenuContribution, ReviewCommands, 'registerMenus');
    guard.contribute(bind, TabBarToolbarContribution, ReviewCommands, 'registerToolbarItems');

    guard.contribute(bind, MenuContribution, PromptContribution, 'registerMenus');
    guard.contribute(bind, MenuContribution, RejectWithReason, 'registerMenus');
    guard.contribute(bind, TerminalContribution, NewLineKey, 'onCreate');
    guard.contribute(bind, TerminalContribution, PromptDrops, 'onCreate');
    guard.contribute(bind, TerminalContribution, ReplayedQueries, 'onCreate');
    makes(TerminalWindowId, container => new TerminalWindowId(container.get(CompanionConnection), container.get(WindowIdentity)));
    onActivation<ShellTerminalServerProxy>(ShellTerminalServerProxy, ({ container }, server) => {
        try {
            return guard.get(container, TerminalWindowId).decorate(server);
        } catch {
            // New terminals then do not know their window, but they start.
            return server;
        }
    });
});
