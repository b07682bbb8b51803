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
import { textAsMarkdown } from '../../common/plain-text';
import { isUndoable, UndoPlan, WantedFile } from '../../common/turn-undo';
import { plannedFileText, whyLeft } from '../../common/undo-text';
import { ChangedFile, TurnChanges } from '../chat/changed-files';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { UndoQuestion } from './undo-question';

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
        const wanted = await this.ask(conversation, changes, plan.value);
        if (wanted) {
            const undone = await conversation.undoTurn(changes.turnId, await this.save(wanted));
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
        const isMine = file.state !== 'as-written' || this.unsaved(path).length > 0;
        if (
            isMine &&
            !(await this.confirm(
                path,
                plannedFileText(file) || nls.localize('theia/qwen-daemon/undo/changed', 'changed since Qwen wrote it')
            ))
        ) {
            return;
        }
        const [wanted] = await this.save([{ path, state: file.state }]);
        const done = await conversation.takeBack(edit.turnId, wanted);
        if (!done.ok) {
            this.showProblem(done.problem);
        }
    }

    protected async confirm(path: string, remark: string): Promise<boolean> {
        const dialog = new ConfirmDialog({
            title: nls.localize('theia/qwen-daemon/undo/takeBack', 'Take Back the Changes'),
            msg: [
                nls.localize('theia/qwen-daemon/undo/named', '{0} ({1})', path, remark),
                nls.localize(
                    'theia/qwen-daemon/undo/copies',
                    'What is overwritten or deleted is copied first. The copies are kept for 14 days.'
                )
            ].join('\n\n'),
            ok: nls.localize('theia/qwen-daemon/undo/ok', 'Undo'),
            cancel: Dialog.CANCEL
        });
        return (await dialog.open()) === true;
    }

    protected async ask(conversation: Conversation, { requests }: TurnChanges, plan: UndoPlan): Promise<WantedFile[] | undefined> {
        const question = new UndoQuestion(plan, {
            folder: conversation.session?.workspaceCwd ?? '',
            messages: Math.max(requests.length, plan.turns),
            unsaved: new Set(plan.files.map(({ path }) => path).filter(path => this.unsaved(path).length > 0))
        });
        const dialog = new ConfirmDialog({
            title: QwenDaemonCommands.UNDO_TURN.label ?? '',
            msg: question.node,
            ok: nls.localize('theia/qwen-daemon/undo/ok', 'Undo'),
            cancel: Dialog.CANCEL
        });
        return (await dialog.open()) ? question.wanted : undefined;
    }

    /** What is not saved is saved, so that the backend copies it before it is overwritten. */
    protected async save(wanted: WantedFile[]): Promise<WantedFile[]> {
        const saved: WantedFile[] = [];
        for (const file of wanted) {
            const documents = this.unsaved(file.path);
            for (const document of documents) {
                await document.save();
            }
            saved.push(documents.length ? { ...file, state: 'changed' } : file);
        }
        return saved;
    }

    protected unsaved(path: string): TextEditorDocument[] {
        const uri = FileUri.create(path).toString();
        return this.editors.all.map(({ editor }) => editor.document).filter(document => document.dirty && document.uri === uri);
    }

    protected showProblem(problem: DaemonProblem): void {
        this.messages.error(textAsMarkdown(joinedText(describeProblem(problem))));
    }
}
