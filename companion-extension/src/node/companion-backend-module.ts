// SPDX-License-Identifier: Apache-2.0

import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { LocalizationContribution } from '@theia/core/lib/node/i18n/localization-contribution';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { NodeFileUploadService } from '@theia/filesystem/lib/node/upload/node-file-upload-service';
import { ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
import { agentsPath } from '../common/agents-protocol';
import { changesPath } from '../common/changes/changes-protocol';
import { BackendPreferences, backendPreferences } from '../common/companion-preferences';
import { CompanionBackend, CompanionPage, companionPath } from '../common/companion-protocol';
import { contextPath } from '../common/context-protocol';
import { ContributionGuard } from '../common/contribution-guard';
import { doctorPath } from '../common/doctor-protocol';
import { promptPath } from '../common/prompt-protocol';
import { reviewPath } from '../common/review-protocol';
import { AgentWindowFeature } from './agents/agent-window-feature';
import { Agents } from './agents/agents';
import { AgentsService } from './agents/agents-service';
import { Changes } from './changes/changes';
import { ChangesService } from './changes/changes-service';
import { ChangesWindowFeature } from './changes/changes-window-feature';
import { IdeWrites } from './changes/ide-writes';
import { OpenCodeCli } from './discovery/opencode-cli';
import { ClaudeCodeCli } from './discovery/claude-code-cli';
import { CompanionFolder } from './discovery/companion-folder';
import { CopilotCli } from './discovery/copilot-cli';
import { DiscoveryFiles } from './discovery/discovery-files';
import { GeminiCli } from './discovery/gemini-cli';
import { ApplicationIdeIdentity, IdeIdentity } from './discovery/ide-identity';
import { KiloCli } from './discovery/kilo-cli';
import { ProcessMarkers } from './discovery/process-marker';
import { QwenCodeCli } from './discovery/qwen-code-cli';
import { SupportedCli } from './discovery/supported-cli';
import { SupportedClis } from './discovery/supported-clis';
import { Doctor } from './doctor/doctor';
import { DoctorService } from './doctor/doctor-service';
import { HostEnvironment } from './host/host-environment';
import { LinuxProcessTable } from './host/linux-process-table';
import { FileAccess } from './host/file-access';
import { Problems } from './host/problems';
import { ProcessScans } from './host/process-scans';
import { ProcessTable } from './host/process-table';
import { TheiaRelease } from './host/theia-release';
import { ClaudeWindows } from './server/claude-windows';
import { CliServer } from './server/cli-server';
import { ConnectedClis } from './server/connected-clis';
import { CopilotWindows } from './server/copilot-windows';
import { CompanionBackendContribution } from './companion-backend-contribution';
import { ListenerBudget } from './http/listener-budget';
import { CompanionEvents, ServerEvents } from './server/companion-events';
import { ContextService } from './server/context-service';
import { EditFiles } from './server/edit-files';
import { PageConnection } from './server/page-connection';
import { PageService } from './server/page-service';
import { ReviewService } from './server/review-service';
import { WindowServers } from './server/window-servers';
import { WindowFeature } from './server/window-feature';
import { WindowStates } from './server/window-states';
import { Windows } from './server/windows';
import { AutoApprovingClis } from './terminal/auto-approving-clis';
import { CompanionShellProcessFactory } from './terminal/companion-shell-process-factory';
import { CliCommands } from './prompt/cli-commands';
import { PromptService } from './prompt/prompt-service';
import { DisconnectedClis } from './agents/disconnected-clis';
import { ShellObserver } from './terminal/shell-observer';
import { UploadFolders } from './prompt/upload-folders';
import { TerminalEnvironment, TerminalServers } from './terminal/terminal-environment';

/** How long a file system may take with the files of one CLI: a window waits for them when it greets. */
const ANSWER_LIMIT_MS = 3_000;

/** What pages may call, by the paths. Each is refused before the window has said hello. */
export const PAGE_SERVICES: ReadonlyArray<readonly [string, interfaces.Newable<object>]> = [
    [agentsPath, AgentsService],
    [changesPath, ChangesService],
    [contextPath, ContextService],
    [doctorPath, DoctorService],
    [promptPath, PromptService],
    [reviewPath, ReviewService]
];

/** One per connection of a page; everything that must outlive it is in the root container. */
const connectionModule = ConnectionContainerModule.create(({ bind, bindBackendService }) => {
    bindServices(bind, PageConnection, PageService, ...PAGE_SERVICES.map(([, service]) => service));
    bindBackendService<PageService, CompanionPage>(companionPath, PageService, (service, page) => {
        service.setPage(page);
        return service;
    });
    PAGE_SERVICES.forEach(([path, service]) => bindBackendService(path, service));
    bind(CompanionBackend).toService(PageService);
});

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    const guard = new ContributionGuard();
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
    // No language pack: the application decides which languages it offers. Read only once a page is in that language.
    bind<LocalizationContribution>(LocalizationContribution).toConstantValue({
        registerLocalizations: async registry =>
            registry.registerLocalization({ languageId: 'zh-cn', getTranslations: async () => require('../../i18n/zh-cn.json') })
    });
    bindServers(bind, guard);
    bindShells(bind, guard, onActivation);
    // Each page has a provider of its own.
    onActivation<DiskFileSystemProvider>(DiskFileSystemProvider, ({ container }, provider) => container.get(IdeWrites).follow(provider));
    onActivation<NodeFileUploadService>(NodeFileUploadService, ({ container }, service) => container.get(IdeWrites).followUploads(service));
});

function bindServices(bind: interfaces.Bind, ...services: Array<interfaces.Newable<unknown>>): void {
    services.forEach(service => bind(service).toSelf().inSingletonScope());
}

/** The CLIs, the windows' servers, and how the CLIs find them. */
export function bindServers(bind: interfaces.Bind, guard: ContributionGuard): void {
    bind(ContributionGuard).toConstantValue(guard);
    bind(FileAccess).toConstantValue(new FileAccess(ANSWER_LIMIT_MS));
    bind(ListenerBudget).toConstantValue(new ListenerBudget());
    bind(BackendPreferences).toConstantValue(backendPreferences());
    bind(ProcessTable).toConstantValue(new LinuxProcessTable());
    bind(IdeIdentity).to(ApplicationIdeIdentity).inSingletonScope();
    bindServices(bind, HostEnvironment, Problems, CompanionFolder, SupportedClis, ProcessMarkers, TheiaRelease);
    bindServices(bind, DiscoveryFiles, TerminalEnvironment, DisconnectedClis, Windows, ClaudeWindows, CopilotWindows);
    bindServices(bind, ProcessScans, Agents, AutoApprovingClis, Changes, IdeWrites);
    bindServices(bind, WindowStates);
    bindServices(bind, EditFiles, ServerEvents, WindowServers, Doctor, CliCommands, UploadFolders, CompanionBackendContribution);

    bindRootContributionProvider(bind, SupportedCli);
    for (const cli of [QwenCodeCli, GeminiCli, ClaudeCodeCli, CopilotCli, OpenCodeCli, KiloCli]) {
        bindServices(bind, cli);
        bind(SupportedCli).toDynamicValue(({ container }) => container.get<SupportedCli>(cli));
    }
    bind(CompanionEvents).toDynamicValue(({ container }) => container.get(ServerEvents));
    bind(TerminalServers).toService(Windows);
    bind(ShellObserver).toService(Agents);
    bindWindowFeatures(bind);
    guard.contribute(bind, BackendApplicationContribution, CompanionBackendContribution);
    guard.contribute(bind, BackendApplicationContribution, TerminalEnvironment);
    guard.contribute(bind, BackendApplicationContribution, UploadFolders);
}

/** What the state of windows is put together from. Needs `DisconnectedClis`, `Agents` and `Changes`. */
export function bindWindowFeatures(bind: interfaces.Bind): void {
    bindRootContributionProvider(bind, WindowFeature);
    bindRootContributionProvider(bind, CliServer);
    [ClaudeWindows, CopilotWindows].forEach(server => bind(CliServer).toService(server));
    bindServices(bind, ConnectedClis, AgentWindowFeature, ChangesWindowFeature);
    bind(WindowFeature).toDynamicValue(({ container }) => container.get(Windows).routing);
    for (const feature of [ConnectedClis, DisconnectedClis, AgentWindowFeature, ChangesWindowFeature, ClaudeWindows]) {
        bind(WindowFeature).toService(feature);
    }
}

/**
 * What new shells learn. Needs `ShellObserver`, `TerminalEnvironment` and `TerminalServers`.
 *
 * @param onActivation the module's: it reaches the factory whichever module binds it, and however often it is rebound
 */
export function bindShells(bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bindServices(bind, CompanionShellProcessFactory);
    onActivation<ShellProcessFactory>(ShellProcessFactory, ({ container }, factory) => {
        try {
            return guard.get(container, CompanionShellProcessFactory).decorate(factory);
        } catch {
            // New terminals do not know the companion, but there are some.
            return factory;
        }
    });
}
