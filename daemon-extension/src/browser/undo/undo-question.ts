// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { shownPath } from '../../common/plain-text';
import { isUndoable, PlannedFile, UndoPlan, WantedFile } from '../../common/turn-undo';
import { plannedFileText, whyLeft } from '../../common/undo-text';

/** What the question says besides the plan. */
export interface UndoContext {
    /** In which the daemon works; paths are shown as they are from there. */
    folder: string;
    /** How many messages Qwen forgets. */
    messages: number;
    /** Paths of files with changes that are not saved. */
    unsaved: ReadonlySet<string>;
}

/** Asks what is to be undone, of each file by its name. What somebody changed since is overwritten only if that is chosen. */
export class UndoQuestion {
    readonly node = document.createElement('div');
    protected readonly choices: { file: WantedFile; box: HTMLInputElement }[] = [];

    constructor(
        protected readonly plan: UndoPlan,
        protected readonly context: UndoContext
    ) {
        this.node.className = 'qwen-daemon-undo-question';
        const { files } = plan;
        this.list(
            nls.localize('theia/qwen-daemon/undo/files', 'These files will be restored to their text before this turn:'),
            files.flatMap(file => this.choice(file))
        );
        this.list(
            nls.localize('theia/qwen-daemon/undo/others', 'Not undone:'),
            files.flatMap(file => this.leftAsItIs(file))
        );
        if (this.choices.length) {
            this.paragraph(
                nls.localize(
                    'theia/qwen-daemon/undo/copies',
                    'What is overwritten or deleted is copied first. The copies are kept for 14 days.'
                )
            );
        }
        this.paragraph(this.messagesText());
        this.paragraph(nls.localize('theia/qwen-daemon/undo/commands', 'Changes made by commands or other programs will not be undone.'));
    }

    /** The files that are chosen. */
    get wanted(): WantedFile[] {
        return this.choices.filter(({ box }) => box.checked).map(({ file }) => file);
    }

    /** It is chosen from the start if nothing of a person is lost by it. */
    protected choice(planned: PlannedFile): HTMLElement[] {
        const { path, state } = planned;
        if (!isUndoable(state)) {
            return [];
        }
        const isUnsaved = this.context.unsaved.has(path);
        const box = document.createElement('input');
        box.type = 'checkbox';
        box.checked = state === 'as-written' && !isUnsaved;
        this.choices.push({ file: { path, state }, box });
        const label = document.createElement('label');
        label.append(box, this.named(path, isUnsaved ? this.unsavedText() : plannedFileText(planned)));
        return [label];
    }

    protected leftAsItIs({ path, state }: PlannedFile): string[] {
        const why = isUndoable(state) ? undefined : whyLeft({ result: state });
        return why === undefined ? [] : [this.named(path, why)];
    }

    protected named(path: string, remark: string): string {
        const name = shownPath(path, this.context.folder);
        return remark ? nls.localize('theia/qwen-daemon/undo/named', '{0} ({1})', name, remark) : name;
    }

    protected unsavedText(): string {
        return nls.localize(
            'theia/qwen-daemon/undo/unsaved',
            'has changes that are not saved; undo saves them, copies them and overwrites them'
        );
    }

    protected messagesText(): string {
        const { messages } = this.context;
        if (!this.plan.forgets) {
            return nls.localize(
                'theia/qwen-daemon/undo/remembers',
                'Qwen cannot forget your message and its answer, for example because it has summarised the conversation since. Only the files are undone.'
            );
        }
        return messages === 1
            ? nls.localize('theia/qwen-daemon/undo/message', 'Qwen forgets your last message and its answer. The chat still shows them.')
            : nls.localize(
                  'theia/qwen-daemon/undo/messages',
                  'Qwen forgets your last {0} messages and their answers. The chat still shows them.',
                  messages
              );
    }

    protected list(title: string, items: (string | HTMLElement)[]): void {
        if (items.length) {
            this.paragraph(title);
            const list = this.node.appendChild(document.createElement('ul'));
            items.forEach(item => list.appendChild(document.createElement('li')).append(item));
        }
    }

    protected paragraph(text: string): void {
        this.node.appendChild(document.createElement('p')).textContent = text;
    }
}
