// SPDX-License-Identifier: Apache-2.0

import { ChangeSet, ChatService } from '@theia/ai-chat/lib/common';
import { ChangeSetActionRenderer } from '@theia/ai-chat-ui/lib/browser/change-set-actions/change-set-action-service';
import { ConfirmDialog, Dialog } from '@theia/core/lib/browser/dialogs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { EditorManager, TextEditorDocument } from '@theia/editor/lib/browser';
import { listOf } from 'theia-cli-companion/lib/common';
import { problemText } from '../../common/daemon-problem';
import { Answer } from '../../common/qwen-daemon-protocol';
import { shownPath, textAsMarkdown } from '../../common/plain-text';
import { isUndoable, PlannedFile, plannedFileText, UndoPlan, whyLeft } from '../../common/turn-undo';
import { ChangedFileElement } from '../chat/change-list';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { ChangedFile } from '../diff/edit-diff-resources';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';

/** Undoes the newest turn that changed files, after asking, also by the button above the list of changed files. */
@injectable()
export class TurnUndoing implements ChangeSetActionRenderer {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(MessageService)
    protected readonly messages: MessageService;

    readonly id = 'qwen-daemon-undo-turn';

    canRender(changeSet: ChangeSet): boolean {
        return this.chatOf(changeSet) !== undefined && changeSet.getElements().some(element => element instanceof ChangedFileElement);
    }

    render(changeSet: ChangeSet): React.ReactNode {
        return (
            <button
                className="theia-button secondary qwen-daemon-undo"
                title={nls.localize('theia/qwen-daemon/undo/title', 'Restore the files, and let Qwen forget the turn')}
                onClick={() => void this.undo(this.chatOf(changeSet))}
            >
                {QwenDaemonCommands.UNDO_TURN.label}
            </button>
        );
    }

    protected chatOf(changeSet: ChangeSet): string | undefined {
        return this.conversations.all.find(({ model }) => model.changeSet === changeSet)?.chatSessionId;
    }

    /** @param chatSessionId by default the active chat */
    async undo(chatSessionId: string | undefined = this.chats.getActiveSession()?.id): Promise<void> {
        const conversation = this.conversations.find(chatSessionId);
        const turnId = conversation?.changes.newest[0]?.edit.turnId;
        if (!conversation || turnId === undefined) {
            this.showLeft([]);
            return;
        }
        const plan = this.valueOf(await conversation.call((backend, session) => backend.planUndo(session, turnId)));
        if (!plan) {
            return;
        }
        // What somebody changed since is not Qwen's to undo. In the list of changes one file can be taken back nevertheless.
        const wanted = plan.files.filter(({ path, state }) => state === 'as-written' && !this.unsaved(path).length);
        const left = this.left(conversation, plan, wanted);
        if (!wanted.length && !plan.forgets) {
            this.showLeft(left);
            return;
        }
        const ok = wanted.length ? undefined : nls.localize('theia/qwen-daemon/undo/forget', 'Forget the Turn');
        if (await this.confirm(QwenDaemonCommands.UNDO_TURN.label ?? '', this.question(conversation, plan, wanted, left), ok)) {
            const files = wanted.map(({ path }) => ({ path, state: 'as-written' as const }));
            this.valueOf(await conversation.call((backend, session) => backend.undoTurn(session, turnId, files)));
        }
    }

    /** One file of a turn. Asks only where something of a person would be lost. */
    async takeBack({ edit: { sessionId, turnId }, diff: { path } }: ChangedFile): Promise<void> {
        const conversation = this.conversations.all.find(one => one.sessionId === sessionId);
        const plan = conversation && this.valueOf(await conversation.call((backend, session) => backend.planUndo(session, turnId)));
        if (!plan) {
            return;
        }
        const file = plan.files.find(planned => planned.path === path);
        if (!file || !isUndoable(file.state)) {
            const why =
                (file && whyLeft({ result: file.state })) ?? nls.localize('theia/qwen-daemon/undo/isBefore', 'it is as it was before');
            this.showLeft([named(path, why)]);
            return;
        }
        const unsaved = this.unsaved(path);
        if (file.state !== 'as-written' || unsaved.length) {
            const remark = plannedFileText(file) || nls.localize('theia/qwen-daemon/undo/changed', 'changed since Qwen wrote it');
            const title = nls.localize('theia/qwen-daemon/undo/takeBack', 'Take Back the Changes');
            if (!(await this.confirm(title, [named(path, remark), this.copiesText()]))) {
                return;
            }
        }
        // What is not saved is saved, so that the backend copies it before it is overwritten.
        for (const document of unsaved) {
            await document.save();
        }
        this.valueOf(await conversation.takeBack(turnId, { path, state: unsaved.length ? 'changed' : file.state }));
    }

    protected async confirm(title: string, paragraphs: string[], ok = nls.localize('theia/qwen-daemon/undo/ok', 'Undo')): Promise<boolean> {
        const msg = document.createElement('div');
        msg.className = 'qwen-daemon-undo-question';
        msg.textContent = paragraphs.join('\n\n');
        return (await new ConfirmDialog({ title, msg, ok, cancel: Dialog.CANCEL }).open()) === true;
    }

    /** What is not undone, and why. */
    protected left({ folder }: Conversation, plan: UndoPlan, wanted: readonly PlannedFile[]): string[] {
        return plan.files
            .filter(file => !wanted.includes(file))
            .flatMap(({ path, state }) => {
                const why = this.unsaved(path).length
                    ? nls.localize('theia/qwen-daemon/undo/unsaved', 'has changes that are not saved')
                    : whyLeft({ result: state });
                return why === undefined ? [] : named(shownPath(path, folder), why);
            });
    }

    protected showLeft(files: string[]): void {
        const text = files.length
            ? nls.localize('theia/qwen-daemon/undo/left', 'Not undone: {0}', listOf(files))
            : nls.localize('theia/qwen-daemon/undo/nothing', 'Qwen changed no files in this chat that can be undone.');
        this.messages.info(textAsMarkdown(text));
    }

    protected question({ folder }: Conversation, plan: UndoPlan, wanted: readonly PlannedFile[], left: string[]): string[] {
        const restored = wanted.map(file => named(shownPath(file.path, folder), plannedFileText(file)));
        return [
            ...list(nls.localize('theia/qwen-daemon/undo/files', 'These files will be restored to their text before this turn:'), restored),
            ...list(
                nls.localize('theia/qwen-daemon/undo/others', 'Not undone, unless you take them back in the list of changes before:'),
                left
            ),
            ...(restored.length ? [this.copiesText()] : []),
            this.forgetsText(plan),
            nls.localize('theia/qwen-daemon/undo/commands', 'Changes made by commands or other programs will not be undone.')
        ];
    }

    protected forgetsText({ forgets, turns }: UndoPlan): string {
        if (!forgets) {
            return nls.localize(
                'theia/qwen-daemon/undo/remembers',
                'Qwen cannot forget your message and its answer, for example because it has summarised the conversation since. Only the files are undone.'
            );
        }
        return turns === 1
            ? nls.localize(
                  'theia/qwen-daemon/undo/turn',
                  'Qwen forgets this turn: what you said in it, and its answer. The chat still shows them.'
              )
            : nls.localize(
                  'theia/qwen-daemon/undo/turns',
                  'Qwen forgets the last {0} turns: what you said in them, and the answers. The chat still shows them.',
                  turns
              );
    }

    protected copiesText(): string {
        return nls.localize(
            'theia/qwen-daemon/undo/copies',
            'What is overwritten or deleted is copied first. The copies are kept for 14 days.'
        );
    }

    protected unsaved(path: string): TextEditorDocument[] {
        const uri = FileUri.create(path).toString();
        return this.editors.all.map(({ editor }) => editor.document).filter(document => document.dirty && document.uri === uri);
    }

    /** `undefined` if it failed, which is said. */
    protected valueOf<T>(answer: Answer<T>): T | undefined {
        if (!answer.ok) {
            this.messages.error(textAsMarkdown(problemText(answer.problem)));
            return undefined;
        }
        return answer.value;
    }
}

function list(title: string, files: string[]): string[] {
    return files.length ? [[title, ...files.map(file => `  • ${file}`)].join('\n')] : [];
}

function named(name: string, remark: string): string {
    return remark ? nls.localize('theia/qwen-daemon/undo/named', '{0} ({1})', name, remark) : name;
}
