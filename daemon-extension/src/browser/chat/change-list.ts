// SPDX-License-Identifier: Apache-2.0

import { ChangeSetElement, ChangeSetImpl } from '@theia/ai-chat/lib/common/change-set';
import { MutableChatModel, MutableChatRequestModel, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChangedFile } from '../diff/edit-diff-resources';
import { NoticeContent, toolDetails } from '../parts/response-parts';
import { ownRequests } from './chat-requests';
import { TurnHost } from './conversation-page';

/** Keeps Theia's list of changes above the input of one chat: the files of the newest turn that changed any and was not undone. */
export class ChangeList {
    /** What the list was made of. Where the user cleared it, it stays so until something else changed. */
    protected shown = '';

    constructor(
        protected readonly model: MutableChatModel,
        protected readonly host: TurnHost
    ) {}

    /**
     * What the newest turn changed that changed any file and was not undone. The chat's parts say it, so it is the same after a reload.
     */
    get newest(): ChangedFile[] {
        const own = ownRequests(this.model);
        const undone = own.flatMap(undoneIn);
        const changed = own
            .flatMap(changedIn)
            .filter(
                ({ edit, diff }) => !undone.some(one => one.turnId === edit.turnId && (one.path === undefined || one.path === diff.path))
            );
        const ofTurn = changed.filter(({ edit }) => edit.turnId === changed.at(-1)?.edit.turnId);
        return ofTurn.filter(({ diff }, index) => ofTurn.findIndex(other => other.diff.path === diff.path) === index);
    }

    /** @param anew the chat was built again, perhaps without the message that held the list */
    accept(events: readonly SessionEvent[], anew: boolean): void {
        if (anew) {
            this.shown = '';
        }
        if (anew || events.some(event => event.kind === 'undone' || (event.kind === 'tool' && event.tool.status === 'completed'))) {
            this.update();
        }
    }

    update(): void {
        const files = this.newest;
        const made = JSON.stringify(files.map(({ edit, diff }) => [edit.turnId, diff.path]));
        if (made === this.shown || (files.length === 0 && !this.shown)) {
            return;
        }
        this.shown = made;
        const { changeSet } = this.model;
        const elements = files.map(file => new ChangedFileElement(file, this.host));
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

    /** Theia's own list is up to date only after 100 ms (1.74). */
    protected elements(): ChangeSetElement[] {
        const sets = this.model.getRequests().flatMap(({ changeSet }) => (changeSet instanceof ChangeSetImpl ? changeSet : []));
        return [...ChangeSetImpl.combine(sets.reverse()).values()].filter(element => element !== undefined);
    }
}

/** A file that a turn changed, in Theia's list. Theia does not store it: the answers' tool calls say the same. */
export class ChangedFileElement implements ChangeSetElement {
    readonly uri: URI;
    readonly state = 'applied';
    readonly type: 'add' | 'modify';

    constructor(
        protected readonly file: ChangedFile,
        protected readonly host: TurnHost
    ) {
        this.uri = FileUri.create(file.diff.path);
        this.type = file.diff.isNew ? 'add' : 'modify';
    }

    get name(): string {
        return this.uri.path.base;
    }

    get additionalInfo(): string {
        const { dir } = this.uri.path;
        return (this.host.folder && FileUri.create(this.host.folder).path.relative(dir)?.toString()) ?? dir.toString();
    }

    async open(): Promise<void> {
        await this.host.page.openFile(this.uri);
    }

    async openChange(): Promise<void> {
        await this.host.page.diffs.showSince(this.file);
    }

    async revert(): Promise<void> {
        await this.host.page.takeBack(this.file);
    }
}

function undoneIn({ response }: MutableChatRequestModel): { turnId: string; path?: string }[] {
    return response.response.content.flatMap(part => (part instanceof NoticeContent && part.data.undone) || []);
}

function changedIn({ response }: MutableChatRequestModel): ChangedFile[] {
    return response.response.content.flatMap(part => {
        const details = ToolCallChatResponseContent.is(part) ? toolDetails(part) : undefined;
        return details?.diff && details.status === 'completed' ? { edit: details.edit, diff: details.diff } : [];
    });
}
