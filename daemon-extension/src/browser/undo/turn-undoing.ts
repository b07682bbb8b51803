// SPDX-License-Identifier: Apache-2.0

import { ChatService } from '@theia/ai-chat/lib/common';
import { ConfirmDialog, Dialog } from '@theia/core/lib/browser/dialogs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager, TextEditorDocument } from '@theia/editor/lib/browser';
import { DaemonProblem } from '../../common/daemon-problem';
import { describeProblem, joinedText } from '../../common/daemon-problem-text';
import { shownPath, textAsMarkdown } from '../../common/plain-text';
import { isUndoable, PlannedFile, UndoPlan } from '../../common/turn-undo';
import { plannedFileText, whyLeft } from '../../common/undo-text';
import { ChangedFile, TurnChanges } from '../chat/changed-files';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

/** Undoes the newest turn that changed files, after asking. */
@injectable()
export class TurnUndoing {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
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
        const plan = await conversation.planUndo(changes.turnId);
        if (!plan.ok) {
            this.showProblem(plan.problem);
            return;
        }
        // What somebody changed since is not Qwen's to undo. In the list of changes one file can be taken back nevertheless.
        const wanted = plan.value.files.filter(({ path, state }) => state === 'as-written' && !this.unsaved(path).length);
        const question = this.question(conversation, changes, plan.value, wanted);
        if (await this.confirm(QwenDaemonCommands.UNDO_TURN.label ?? '', question)) {
            const undone = await conversation.undoTurn(
                changes.turnId,
                wanted.map(({ path }) => ({ path, state: 'as-written' }))
            );
            if (!undone.ok) {
                this.showProblem(undone.problem);
            }
        }
    }

    /** One file of a turn. Asks only where something of a person would be lost. */
    async takeBack({ edit, diff: { path } }: ChangedFile): Promise<void> {
        const conversation = this.conversations.all.find(({ sessionId }) => sessionId === edit.sessionId);
        if (!conversation) {
            return;
        }
        const plan = await conversation.planUndo(edit.turnId);
        if (!plan.ok) {
            this.showProblem(plan.problem);
            return;
        }
        const file = plan.value.files.find(planned => planned.path === path);
        if (!file || !isUndoable(file.state)) {
            const why =
                (file && whyLeft({ result: file.state })) ?? nls.localize('theia/qwen-daemon/undo/isBefore', 'it is as it was before');
            this.messages.info(textAsMarkdown(nls.localize('theia/qwen-daemon/undo/left', 'Not undone: {0}', `${path} (${why})`)));
            return;
        }
        const unsaved = this.unsaved(path);
        if (file.state !== 'as-written' || unsaved.length) {
            const remark = plannedFileText(file) || nls.localize('theia/qwen-daemon/undo/changed', 'changed since Qwen wrote it');
            const title = nls.localize('theia/qwen-daemon/undo/takeBack', 'Take Back the Changes');
            if (!(await this.confirm(title, [this.named(path, remark), this.copiesText()]))) {
                return;
            }
        }
        // What is not saved is saved, so that the backend copies it before it is overwritten.
        for (const document of unsaved) {
            await document.save();
        }
        const done = await conversation.takeBack(edit.turnId, { path, state: unsaved.length ? 'changed' : file.state });
        if (!done.ok) {
            this.showProblem(done.problem);
        }
    }

    protected async confirm(title: string, paragraphs: string[]): Promise<boolean> {
        const msg = document.createElement('div');
        msg.className = 'qwen-daemon-undo-question';
        msg.textContent = paragraphs.join('\n\n');
        const dialog = new ConfirmDialog({
            title,
            msg,
            ok: nls.localize('theia/qwen-daemon/undo/ok', 'Undo'),
            cancel: Dialog.CANCEL
        });
        return (await dialog.open()) === true;
    }

    protected question(conversation: Conversation, { requests }: TurnChanges, plan: UndoPlan, wanted: PlannedFile[]): string[] {
        const folder = conversation.session?.workspaceCwd ?? '';
        const restored = wanted.map(file => this.named(shownPath(file.path, folder), plannedFileText(file)));
        const left = plan.files
            .filter(file => !wanted.includes(file))
            .flatMap(({ path, state }) => {
                const why = this.unsaved(path).length
                    ? nls.localize('theia/qwen-daemon/undo/unsaved', 'has changes that are not saved')
                    : whyLeft({ result: state });
                return why === undefined ? [] : this.named(shownPath(path, folder), why);
            });
        const messages = Math.max(requests.length, plan.turns);
        return [
            ...this.list(
                nls.localize('theia/qwen-daemon/undo/files', 'These files will be restored to their text before this turn:'),
                restored
            ),
            ...this.list(
                nls.localize('theia/qwen-daemon/undo/others', 'Not undone, unless you take them back in the list of changes before:'),
                left
            ),
            ...(restored.length ? [this.copiesText()] : []),
            this.messagesText(plan.forgets ? messages : 0),
            nls.localize('theia/qwen-daemon/undo/commands', 'Changes made by commands or other programs will not be undone.')
        ];
    }

    protected messagesText(forgotten: number): string {
        switch (forgotten) {
            case 0:
                return nls.localize(
                    'theia/qwen-daemon/undo/remembers',
                    'Qwen cannot forget your message and its answer, for example because it has summarised the conversation since. Only the files are undone.'
                );
            case 1:
                return nls.localize(
                    'theia/qwen-daemon/undo/message',
                    'Qwen forgets your last message and its answer. The chat still shows them.'
                );
            default:
                return nls.localize(
                    'theia/qwen-daemon/undo/messages',
                    'Qwen forgets your last {0} messages and their answers. The chat still shows them.',
                    forgotten
                );
        }
    }

    protected copiesText(): string {
        return nls.localize(
            'theia/qwen-daemon/undo/copies',
            'What is overwritten or deleted is copied first. The copies are kept for 14 days.'
        );
    }

    protected list(title: string, files: string[]): string[] {
        return files.length ? [[title, ...files.map(file => `  • ${file}`)].join('\n')] : [];
    }

    protected named(name: string, remark: string): string {
        return remark ? nls.localize('theia/qwen-daemon/undo/named', '{0} ({1})', name, remark) : name;
    }

    protected unsaved(path: string): TextEditorDocument[] {
        const uri = FileUri.create(path).toString();
        return this.editors.all.map(({ editor }) => editor.document).filter(document => document.dirty && document.uri === uri);
    }

    protected showProblem(problem: DaemonProblem): void {
        this.messages.error(textAsMarkdown(joinedText(describeProblem(problem))));
    }
}
