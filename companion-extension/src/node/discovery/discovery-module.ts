// SPDX-License-Identifier: Apache-2.0

import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { ClaudeCodeCli } from './claude-code-cli';
import { CompanionFolder } from './companion-folder';
import { CopilotCli } from './copilot-cli';
import { DiscoveryFiles } from './discovery-files';
import { GeminiCli } from './gemini-cli';
import { ApplicationIdeIdentity, IdeIdentity } from './ide-identity';
import { KiloCli } from './kilo-cli';
import { OpenCodeCli } from './opencode-cli';
import { ProcessMarkers } from './process-marker';
import { QwenCodeCli } from './qwen-code-cli';
import { SupportedCli } from './supported-cli';
import { SupportedClis } from './supported-clis';

/** The CLIs, and how they find the windows' servers. */
export function bindDiscovery(bind: interfaces.Bind): void {
    bindServices(bind, CompanionFolder, DiscoveryFiles, ProcessMarkers, SupportedClis);
    bind(IdeIdentity).to(ApplicationIdeIdentity).inSingletonScope();
    bindRootContributionProvider(bind, SupportedCli);
    for (const cli of [QwenCodeCli, GeminiCli, ClaudeCodeCli, CopilotCli, OpenCodeCli, KiloCli]) {
        bindServices(bind, cli);
        bind(SupportedCli).toDynamicValue(({ container }) => container.get<SupportedCli>(cli));
    }
}
