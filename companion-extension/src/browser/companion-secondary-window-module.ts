// SPDX-License-Identifier: Apache-2.0

import '../../src/browser/style/companion.css';
import { ContainerModule } from '@theia/core/shared/inversify';

/** Brings our styles into secondary windows, which have their own bundle and do not run ours (Theia 1.74). */
export default new ContainerModule(() => undefined);
