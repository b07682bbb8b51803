// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { interfaces } from '@theia/core/shared/inversify';
import { FileUploadServiceImpl } from '@theia/filesystem/lib/browser/upload/file-upload-service-impl';
import { TerminalContribution } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { bindMade, bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { PromptBackend, promptPath } from '../../common/prompt-protocol';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { CliPrompt } from './cli-prompt';
import { CliStarter } from './cli-starter';
import { CliStatus } from './cli-status';
import { ConnectCommands } from './connect-commands';
import { IdeModeQuestion } from './ide-mode-question';
import { NewLineKey } from './new-line-key';
import { PromptContribution } from './prompt-contribution';
import { PromptDrops } from './prompt-drops';
import { PromptUploads } from './prompt-uploads';
import { RejectWithReason } from './reject-with-reason';
import { ReplayedQueries } from './replayed-queries';
import { RunContribution } from './run-contribution';

export function bindPrompt(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, CliPrompt, CliStarter, CliStatus, ConnectCommands, IdeModeQuestion, PromptContribution, RejectWithReason);
    bindServices(bind, FileUploadServiceImpl, NewLineKey, PromptDrops, PromptUploads, ReplayedQueries, RunContribution);
    bindMade<PromptBackend>(bind, PromptBackend, container => ServiceConnectionProvider.createProxy(container, promptPath));
    guard.contribute(bind, FrontendApplicationContribution, RunContribution);
    guard.contribute(bind, CommandContribution, PromptContribution, 'registerCommands');
    guard.contribute(bind, CommandContribution, ConnectCommands, 'registerCommands');
    guard.contribute(bind, CommandContribution, RejectWithReason, 'registerCommands');
    guard.contribute(bind, CommandContribution, PromptDrops, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, PromptContribution, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, PromptContribution, 'registerMenus');
    guard.contribute(bind, MenuContribution, RejectWithReason, 'registerMenus');
    guard.contribute(bind, TerminalContribution, NewLineKey, 'onCreate');
    guard.contribute(bind, TerminalContribution, PromptDrops, 'onCreate');
    guard.contribute(bind, TerminalContribution, ReplayedQueries, 'onCreate');
    guard.contribute(bind, StatusSectionContribution, CliStatus, 'sections');
}
