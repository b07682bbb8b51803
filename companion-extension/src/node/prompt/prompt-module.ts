// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { promptPath } from '../../common/prompt-protocol';
import { bindPageService } from '../server/bind-page-service';
import { CliCommands } from './cli-commands';
import { LoginShell } from './login-shell';
import { PromptService } from './prompt-service';
import { UploadFolders } from './upload-folders';

export function bindPrompt(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, CliCommands, LoginShell, UploadFolders);
    bindPageService(bind, promptPath, PromptService);
    guard.contribute(bind, BackendApplicationContribution, UploadFolders);
}
