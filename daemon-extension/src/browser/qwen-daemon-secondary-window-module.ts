// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/qwen-daemon.css';
import { ContainerModule } from '@theia/core/shared/inversify';

/** Brings our styles into secondary windows, which have a bundle of their own and run none of its code (Theia 1.74). */
export default new ContainerModule(() => undefined);
