// SPDX-License-Identifier: Apache-2.0

import { Command } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';

function command(id: string, key: string, label: string): Command {
    return {
        id: `qwen-daemon.${id}`,
        label: nls.localize(key, label),
        originalLabel: label,
        category: nls.localize('theia/qwen-daemon/category', 'Qwen Daemon'),
        originalCategory: 'Qwen Daemon'
    };
}

/** In its own file: renderers name commands and must not depend on the classes that execute them. */
export namespace QwenDaemonCommands {
    export const CONNECT = command('connect', 'theia/qwen-daemon/commands/connect', 'Connect');
    /** While it is off. */
    export const ENABLE = command('enable', 'theia/qwen-daemon/commands/enable', 'Use Qwen Code in the Chat (Experimental)');
    export const SHOW_STATUS = command('showStatus', 'theia/qwen-daemon/commands/showStatus', 'Show Status');
    export const CHOOSE_MODEL = command('chooseModel', 'theia/qwen-daemon/commands/chooseModel', 'Choose Model…');
    export const CHOOSE_MODE = command('chooseApprovalMode', 'theia/qwen-daemon/commands/chooseApprovalMode', 'Choose Approval Mode…');
    /** Argument: the editor that shows the diff of an edit that waits. */
    export const ALLOW = command('allow', 'theia/qwen-daemon/commands/allow', 'Allow What Qwen Asks For');
    /** As {@link ALLOW}. */
    export const REJECT = command('reject', 'theia/qwen-daemon/commands/reject', 'Reject What Qwen Asks For');
    /** Argument: the id of the chat session; default: the active one. */
    export const RECONNECT = command('reconnect', 'theia/qwen-daemon/commands/reconnect', 'Reconnect');
}
