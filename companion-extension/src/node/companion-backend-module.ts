// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { LocalizationContribution } from '@theia/core/lib/node/i18n/localization-contribution';
import { ContainerModule, interfaces } from '@theia/core/shared/inversify';
import { BindFeature, bindMade, bindServices } from '../common/bind-services';
import { BackendPreferences, backendPreferences } from '../common/companion-preferences';
import { ContributionGuard } from '../common/contribution-guard';
import { bindAgents } from './agents/agents-module';
import { bindChanges } from './changes/changes-module';
import { bindClaude } from './claude/claude-module';
import { bindComments } from './comments/comments-module';
import { CompanionBackendContribution } from './companion-backend-contribution';
import { bindContext } from './context/context-module';
import { bindCopilot } from './copilot/copilot-module';
import { bindDiscovery } from './discovery/discovery-module';
import { bindDoctor } from './doctor/doctor-module';
import { FileAccess } from './host/file-access';
import { FileInspector } from './host/file-inspector';
import { HostEnvironment } from './host/host-environment';
import { LinuxProcessTable } from './host/linux-process-table';
import { Policy } from './host/policy';
import { Problems } from './host/problems';
import { ProcessScans } from './host/process-scans';
import { ProcessTable } from './host/process-table';
import { TheiaRelease } from './host/theia-release';
import { ListenerBudget } from './http/listener-budget';
import { bindMcp } from './mcp/mcp-module';
import { bindPrompt } from './prompt/prompt-module';
import { bindReview } from './review/review-module';
import { bindServer } from './server/server-module';
import { bindTerminals } from './terminal/terminal-module';

/** How long a file system may take with the files of one CLI: a window waits for them when it greets. */
const ANSWER_LIMIT_MS = 3_000;

/** In the order in which their parts of a window's state are put together. */
const FEATURES: readonly BindFeature[] = [
    bindContext,
    bindReview,
    bindAgents,
    bindChanges,
    bindMcp,
    bindClaude,
    bindCopilot,
    bindPrompt,
    bindComments,
    bindDoctor
];

/** What features share: the machine, the CLIs, their servers and the shells. */
const CORE: readonly BindFeature[] = [bindHost, bindDiscovery, bindServer, bindTerminals];

function bindHost(bind: interfaces.Bind, guard: ContributionGuard): void {
    bind(ContributionGuard).toConstantValue(guard);
    bind(FileAccess).toConstantValue(new FileAccess(ANSWER_LIMIT_MS));
    bind(ListenerBudget).toConstantValue(new ListenerBudget());
    bindMade(bind, BackendPreferences, container => container.get(Policy).overridePreferences(backendPreferences()));
    bind(ProcessTable).toConstantValue(new LinuxProcessTable());
    bindMade(bind, FileInspector, container => new FileInspector(container.get(FileAccess)));
    bindServices(bind, HostEnvironment, Policy, Problems, ProcessScans, TheiaRelease);
    bindServices(bind, CompanionBackendContribution);
    guard.contribute(bind, BackendApplicationContribution, CompanionBackendContribution);
    // No language pack: the application decides which languages it offers. Read only once a page is in that language.
    bind<LocalizationContribution>(LocalizationContribution).toConstantValue({
        registerLocalizations: async registry =>
            registry.registerLocalization({ languageId: 'zh-cn', getTranslations: async () => require('../../i18n/zh-cn.json') })
    });
}

/** All of the backend. Tests bind some of it anew. */
export const bindBackend: BindFeature = (bind, guard, onActivation) =>
    [...CORE, ...FEATURES].forEach(bindPart => bindPart(bind, guard, onActivation));

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) =>
    bindBackend(bind, new ContributionGuard(), onActivation)
);
