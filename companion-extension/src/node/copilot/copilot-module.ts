// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { CliServer } from '../server/cli-server';
import { CopilotWindows } from './copilot-windows';

export function bindCopilot(bind: interfaces.Bind): void {
    bindServices(bind, CopilotWindows);
    bind(CliServer).toService(CopilotWindows);
}
