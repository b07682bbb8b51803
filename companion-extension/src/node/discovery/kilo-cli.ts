// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { OpenCodeCli } from './opencode-cli';

/** A fork of OpenCode, which connects under OpenCode's name (7.7.9). @since 0.1 */
@injectable()
export class KiloCli extends OpenCodeCli {
    override readonly id = 'kilo';
    override readonly displayName = 'Kilo CLI';
    override readonly command = 'kilo';
    override readonly install = 'npm install -g @kilocode/cli';
}
