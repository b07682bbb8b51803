// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { ClaudeWindows } from './claude-windows';
import { CliServer } from './cli-server';
import { CopilotWindows } from './copilot-windows';
import { WindowFeature } from './window-feature';

/** The dialects with one server for all windows. */
export function bindSharedServers(bind: interfaces.Bind): void {
    bindServices(bind, ClaudeWindows, CopilotWindows);
    bind(CliServer).toService(ClaudeWindows);
    bind(CliServer).toService(CopilotWindows);
    bind(WindowFeature).toService(ClaudeWindows);
}
