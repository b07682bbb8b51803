// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { CliServer } from '../server/cli-server';
import { WindowFeature } from '../server/window-feature';
import { ClaudeWindows } from './claude-windows';

export function bindClaude(bind: interfaces.Bind): void {
    bindServices(bind, ClaudeWindows);
    bind(CliServer).toService(ClaudeWindows);
    bind(WindowFeature).toService(ClaudeWindows);
}
