// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { contextPath } from '../../common/context-protocol';
import { bindPageService } from '../server/bind-page-service';
import { WindowFeature } from '../server/window-feature';
import { ContextService } from './context-service';
import { ContextSharing } from './context-sharing';

export function bindContext(bind: interfaces.Bind): void {
    bindServices(bind, ContextSharing);
    bind(WindowFeature).toService(ContextSharing);
    bindPageService(bind, contextPath, ContextService);
}
