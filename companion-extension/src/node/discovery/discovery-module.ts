// SPDX-License-Identifier: Apache-2.0

import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { ContributionGuard } from '../../common/contribution-guard';
import { OneAtATime } from '../one-at-a-time';
import { Problems } from '../problems';
import { ApplicationIdeIdentity } from './application-ide-identity';
import { CompanionFolder } from './companion-folder';
import { DiscoveryContribution } from './discovery-contribution';
import { DiscoveryFilesFactory } from './discovery-files-factory';
import { GeminiCli } from './gemini-cli';
import { GeminiSettings } from './gemini-settings';
import { HostEnvironment } from './host-environment';
import { IdeIdentity } from './ide-identity';
import { OfferMemory } from './offer-memory';
import { ProcessHostEnvironment } from './process-host-environment';
import { ProcessMarkers } from './process-marker';
import { QwenCodeCli } from './qwen-code-cli';
import { QwenSystemDefaults } from './qwen-system-defaults';
import { StaleDiscoveryFiles } from './stale-discovery-files';
import { SupportedCli } from './supported-cli';

/** How long a file system may take with the files of one CLI, in milliseconds: a window waits for them when it greets. */
const ANSWER_LIMIT = 3_000;

/** The two CLIs, and how they find a server. For the backend's module. */
export function bindDiscovery(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindRootContributionProvider(bind, SupportedCli);
    bind(Problems).toSelf().inSingletonScope();
    bind(OneAtATime).toConstantValue(new OneAtATime(ANSWER_LIMIT));
    bind(CompanionFolder).toSelf().inSingletonScope();
    bind(OfferMemory).toSelf().inSingletonScope();
    bind(QwenSystemDefaults).toSelf().inSingletonScope();
    bind(QwenCodeCli).toSelf().inSingletonScope();
    bind(SupportedCli).toDynamicValue(({ container }) => container.get(QwenCodeCli));
    bind(GeminiSettings).toSelf().inSingletonScope();
    bind(GeminiCli).toSelf().inSingletonScope();
    bind(SupportedCli).toDynamicValue(({ container }) => container.get(GeminiCli));

    bind(ProcessHostEnvironment).toSelf().inSingletonScope();
    bind(HostEnvironment).toDynamicValue(({ container }) => container.get(ProcessHostEnvironment));
    bind(ApplicationIdeIdentity).toSelf().inSingletonScope();
    bind(IdeIdentity).toDynamicValue(({ container }) => container.get(ApplicationIdeIdentity));
    bind(ProcessMarkers).toSelf().inSingletonScope();
    bind(DiscoveryFilesFactory).toSelf().inSingletonScope();

    bind(StaleDiscoveryFiles).toSelf().inSingletonScope();
    bind(DiscoveryContribution).toSelf().inSingletonScope();
    guard.contribute(bind, BackendApplicationContribution, DiscoveryContribution, 'initialize');
}
