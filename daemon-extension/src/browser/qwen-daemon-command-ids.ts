// SPDX-License-Identifier: Apache-2.0

import { Command } from '@theia/core/lib/common/command';

/** In a file of its own: renderers name commands and must not depend on the classes that execute them. */
export namespace QwenDaemonCommands {
    const category = 'Qwen Daemon';
    const categoryKey = 'theia/qwen-daemon/category';

    export const CONNECT = Command.toLocalizedCommand(
        { id: 'qwen-daemon.connect', label: 'Connect', category },
        'theia/qwen-daemon/commands/connect',
        categoryKey
    );
    /** While it is off. */
    export const ENABLE = Command.toLocalizedCommand(
        { id: 'qwen-daemon.enable', label: 'Use Qwen Code in the Chat (Experimental)', category },
        'theia/qwen-daemon/commands/enable',
        categoryKey
    );
    export const SHOW_STATUS = Command.toLocalizedCommand(
        { id: 'qwen-daemon.showStatus', label: 'Show Status', category },
        'theia/qwen-daemon/commands/showStatus',
        categoryKey
    );
    export const CHOOSE_MODEL = Command.toLocalizedCommand(
        { id: 'qwen-daemon.chooseModel', label: 'Choose Model…', category },
        'theia/qwen-daemon/commands/chooseModel',
        categoryKey
    );
    export const CHOOSE_MODE = Command.toLocalizedCommand(
        { id: 'qwen-daemon.chooseApprovalMode', label: 'Choose Approval Mode…', category },
        'theia/qwen-daemon/commands/chooseApprovalMode',
        categoryKey
    );
    /** Argument: the diff of an edit that waits; default: what waits and is in view, else what waits longest. */
    export const ALLOW = Command.toLocalizedCommand(
        { id: 'qwen-daemon.allow', label: 'Allow What Qwen Asks For', category },
        'theia/qwen-daemon/commands/allow',
        categoryKey
    );
    /** As {@link ALLOW}. */
    export const REJECT = Command.toLocalizedCommand(
        { id: 'qwen-daemon.reject', label: 'Reject What Qwen Asks For', category },
        'theia/qwen-daemon/commands/reject',
        categoryKey
    );
    export const SHOW_WAITING = Command.toLocalizedCommand(
        { id: 'qwen-daemon.showWaiting', label: 'Show What Qwen Asks', category },
        'theia/qwen-daemon/commands/showWaiting',
        categoryKey
    );
    /** Argument: the id of the chat session; default: the active one. */
    export const RECONNECT = Command.toLocalizedCommand(
        { id: 'qwen-daemon.reconnect', label: 'Reconnect', category },
        'theia/qwen-daemon/commands/reconnect',
        categoryKey
    );
    /** Argument: the id of the chat session; default: the active one. */
    export const UNDO_TURN = Command.toLocalizedCommand(
        { id: 'qwen-daemon.undoTurn', label: 'Undo Turn', category },
        'theia/qwen-daemon/commands/undoTurn',
        categoryKey
    );
    /** Arguments: the Edit, the DiffInfo. Not in the palette. */
    export const SHOW_DIFF: Command = { id: 'qwen-daemon.showDiff' };
}
