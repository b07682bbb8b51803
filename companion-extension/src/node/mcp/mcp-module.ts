// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindMade } from '../../common/bind-services';
import { ProcessTable } from '../host/process-table';
import { WindowDialect } from '../server/cli-server';
import { McpDialect } from './mcp-dialect';

export function bindMcp(bind: interfaces.Bind): void {
    bindMade<WindowDialect>(bind, WindowDialect, container => new McpDialect(container.get(ProcessTable)));
}
