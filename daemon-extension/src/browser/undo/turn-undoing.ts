// SPDX-License-Identifier: Apache-2.0

import { ChatService } from '@theia/ai-chat/lib/common';
import { ConfirmDialog, Dialog } from '@theia/core/lib/browser/dialogs';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { describeProblem, joinedText } from '../../common/daemon-problem-text';
import { shownPath, textAsMarkdown } from '../../common/plain-text';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { TurnChanges } from '../chat/changed-files';

/** Files that the question names one by one. */
const MAX_NAMED = 12;

/** Undoes the newest turn that changed files, after asking. */
@injectable()
export class TurnUndoing {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** @param chatSessionId by default the active chat */
    async undo(chatSessionId: string | undefined = this.chats.getActiveSession()?.id): Promise<void> {
        const conversation = this.conversations.find(chatSessionId);
        const changes = conversation?.changes.newest;
        if (!conversation || !changes) {
            this.messages.info(nls.localize('theia/qwen-daemon/undo/nothing', 'Qwen changed no files in this chat that can be undone.'));
            return;
        }
        if (conversation.turns.running) {
            this.messages.warn(textAsMarkdown(joinedText(describeProblem({ code: 'turn-runs' }))));
            return;
        }
        if (await this.confirm(conversation, changes)) {
            const undone = await conversation.undoTurn(changes.turnId);
            if (!undone.ok) {
                this.messages.error(textAsMarkdown(joinedText(describeProblem(undone.problem))));
            }
        }
    }

    protected async confirm(conversation: Conversation, changes: TurnChanges): Promise<boolean> {
        const dialog = new ConfirmDialog({
            title: QwenDaemonCommands.UNDO_TURN.label ?? '',
            msg: this.question(conversation, changes),
            ok: nls.localize('theia/qwen-daemon/undo/ok', 'Undo'),
            cancel: Dialog.CANCEL
        });
        return (await dialog.open()) === true;
    }

    protected question(conversation: Conversation, { files, requests }: TurnChanges): HTMLElement {
        const folder = conversation.session?.workspaceCwd ?? '';
        const names = files.map(({ diff }) => shownPath(diff.path, folder));
        const question = document.createElement('div');
        question.className = 'qwen-daemon-undo-question';
        this.paragraph(
            question,
            nls.localize(
                'theia/qwen-daemon/undo/files',
                'These files get the contents that they had before the turn. All that was changed in them since is lost, also what you changed:'
            )
        );
        const list = question.appendChild(document.createElement('ul'));
        for (const name of names.slice(0, MAX_NAMED)) {
            list.appendChild(document.createElement('li')).textContent = name;
        }
        if (names.length > MAX_NAMED) {
            list.appendChild(document.createElement('li')).textContent = nls.localize(
                'theia/qwen-daemon/undo/more',
                '{0} more',
                names.length - MAX_NAMED
            );
        }
        this.paragraph(
            question,
            requests.length === 1
                ? nls.localize(
                      'theia/qwen-daemon/undo/message',
                      'Qwen forgets your last message and its answer. The chat still shows them.'
                  )
                : nls.localize(
                      'theia/qwen-daemon/undo/messages',
                      'Qwen forgets your last {0} messages and their answers. The chat still shows them.',
                      requests.length
                  )
        );
        this.paragraph(
            question,
            nls.localize('theia/qwen-daemon/undo/commands', 'What commands changed, or other programs, is not undone.')
        );
        return question;
    }

    protected paragraph(parent: HTMLElement, text: string): void {
        parent.appendChild(document.createElement('p')).textContent = text;
    }
}
