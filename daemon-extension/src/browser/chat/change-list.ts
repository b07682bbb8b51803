// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { ChangeSetElement, ChangeSetImpl } from '@theia/ai-chat/lib/common/change-set';
import { nls } from '@theia/core/lib/common/nls';
import { SessionEvent } from '../../common/session-events';
import { ChangedFileElement } from './changed-file-element';
import { TurnHost } from './conversation-page';
import { newestChanges, TurnChanges } from './changed-files';

/** Keeps Theia's list of changes above the input of one chat: the files of the newest turn that changed any and was not undone. */
export class ChangeList {
    /** What the list was made of. Where the user cleared it, it stays so until something else changed. */
    protected shown = '';

    constructor(
        protected readonly model: MutableChatModel,
        protected readonly agentId: string,
        protected readonly host: TurnHost
    ) {}

    get newest(): TurnChanges | undefined {
        return newestChanges(this.model, this.agentId);
    }

    /** @param anew the chat was built again, perhaps without the message that held the list */
    accept(events: readonly SessionEvent[], anew: boolean): void {
        if (anew) {
            this.shown = '';
            this.update();
        } else if (events.some(event => event.kind === 'undone' || (event.kind === 'tool' && event.tool.status === 'completed'))) {
            this.update();
        }
    }

    /** Theia's own list is up to date only after 100 ms (1.74). */
    protected elements(): ChangeSetElement[] {
        const sets = this.model.getRequests().flatMap(({ changeSet }) => (changeSet instanceof ChangeSetImpl ? changeSet : []));
        return [...ChangeSetImpl.combine(sets.reverse()).values()].filter(element => element !== undefined);
    }

    update(): void {
        const files = this.newest?.files ?? [];
        const made = JSON.stringify(files.map(({ edit, diff }) => [edit.turnId, diff.path]));
        if (made === this.shown || (files.length === 0 && !this.shown)) {
            return;
        }
        this.shown = made;
        const { changeSet } = this.model;
        const elements = files.map(file => new ChangedFileElement(file, this.host.folder, this.host.page));
        // What other agents propose stays, of the same file as well: nobody has accepted or rejected it.
        const [ours, others] = [true, false].map(isOurs =>
            this.elements().filter(element => element instanceof ChangedFileElement === isOurs)
        );
        const isIn = (list: readonly ChangeSetElement[], { uri }: ChangeSetElement): boolean => list.some(other => other.uri.isEqual(uri));
        if (others.length === 0) {
            changeSet.setTitle(nls.localize('theia/qwen-daemon/changes/title', 'Changed by Qwen'));
        }
        changeSet.removeElements(...ours.filter(element => !isIn(elements, element)).map(({ uri }) => uri));
        changeSet.addElements(...elements.filter(element => !isIn(others, element)));
    }
}
