// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ClaudeFamilyCli } from './claude-family-cli';
import { ALT_ENTER } from './supported-cli';

/** OpenCode takes the context alone, and opens no diff (1.18). */
@injectable()
export class OpenCodeCli extends ClaudeFamilyCli {
    readonly id = 'opencode';
    readonly displayName = 'OpenCode';
    readonly command = 'opencode';
    readonly install = 'npm install -g opencode-ai';
    readonly clientName = 'opencode';
    readonly newLine = ALT_ENTER;
    override readonly connectCommand = undefined;
}
