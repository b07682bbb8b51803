// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ClaudeFamilyCli } from './claude-family-cli';
import { ALT_ENTER } from './supported-cli';

/** OpenCode takes the context alone, opens no diff, and reads no file that is mentioned in pasted text (1.18). @since 0.1 */
@injectable()
export class OpenCodeCli extends ClaudeFamilyCli {
    readonly id: string = 'opencode';
    readonly displayName: string = 'OpenCode';
    readonly command: string = 'opencode';
    readonly install: string = 'npm install -g opencode-ai';
    readonly clientName = 'opencode';
    readonly newLine = ALT_ENTER;
    readonly mentionStyle = { form: 'text' as const, unread: '' };
    override readonly connectCommand = undefined;
}
