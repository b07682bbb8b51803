// SPDX-License-Identifier: Apache-2.0

import { ChangeSet, ChatService } from '@theia/ai-chat/lib/common';
import { ChangeSetActionRenderer } from '@theia/ai-chat-ui/lib/browser/change-set-actions/change-set-action-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { ChangedFileElement } from '../chat/changed-file-element';

/** The button above the list of changed files. */
@injectable()
export class UndoTurnAction implements ChangeSetActionRenderer {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(ChatService)
    protected readonly chats: ChatService;

    readonly id = 'qwen-daemon-undo-turn';

    canRender(changeSet: ChangeSet): boolean {
        const isOurs = changeSet.getElements().some(element => element instanceof ChangedFileElement);
        return isOurs && this.commands.isEnabled(QwenDaemonCommands.UNDO_TURN.id);
    }

    render(changeSet: ChangeSet): React.ReactNode {
        return (
            <button
                className="theia-button secondary qwen-daemon-undo"
                title={nls.localize('theia/qwen-daemon/undo/title', 'Restore the files, and let Qwen forget the turn')}
                onClick={() => void this.commands.executeCommand(QwenDaemonCommands.UNDO_TURN.id, this.chatOf(changeSet))}
            >
                {QwenDaemonCommands.UNDO_TURN.label}
            </button>
        );
    }

    protected chatOf(changeSet: ChangeSet): string | undefined {
        return this.chats.getSessions().find(({ model }) => model.changeSet === changeSet)?.id;
    }
}
