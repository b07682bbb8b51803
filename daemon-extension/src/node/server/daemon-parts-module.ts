// SPDX-License-Identifier: Apache-2.0

import { ContainerModule } from '@theia/core/shared/inversify';
import { DaemonSettings } from '../config/daemon-settings';
import { DaemonTokenSource } from '../config/daemon-token-source';
import { QwenCommand } from '../config/qwen-command';
import { DaemonWorkspaces } from './daemon-workspaces';

/** What `DaemonParts` loads. */
export default new ContainerModule((bind, _unbind, isBound) => {
    // A product may have bound others of its own.
    for (const part of [DaemonTokenSource, QwenCommand, DaemonSettings, DaemonWorkspaces]) {
        if (!isBound<object>(part)) {
            bind<object>(part).toSelf().inSingletonScope();
        }
    }
});
