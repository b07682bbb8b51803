// SPDX-License-Identifier: Apache-2.0

import { ChangeSetElement, ChangeSetImpl } from '@theia/ai-chat/lib/common/change-set';
import { ChatRequestModel, MutableChatModel, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChangedFile, TurnChange } from '../diff/edit-diff-resources';
import { NoticeContent } from '../parts/notice-content';
import { toolDetails } from '../parts/tool-content';
import { QWEN_AGENT_ID } from './chat-requests';
import { TurnHost } from './conversation-page';

/** The conversation of the files. */
export interface ChangeHost extends Pick<TurnHost, 'page' | 'folder' | 'sessionId'> {
    /** Gives the file the text that it had before the turn, after asking. Qwen still knows the turn. */
    revert(change: TurnChange): Promise<void>;
}

/** Keeps Theia's list of changes above the input of one chat: the files of the newest turn that changed any and that were not reverted. */
export class ChangeList {
    /** What the list was made of. Where the user cleared it, it stays so until something else changed. */
    protected shown = '';

    constructor(
        protected readonly model: MutableChatModel,
        protected readonly host: ChangeHost
    ) {}

    /** The chat's parts say it, so it is the same after a reload; also those of a message that was edited since, which left the files as they were. */
    get newest(): TurnChange[] {
        const all = this.model.getBranches().flatMap(({ items }) => items.map(({ element }) => element));
        const own = all.filter(({ agentId }) => agentId === QWEN_AGENT_ID);
        const reverted = own.flatMap(revertedIn);
        const changed = own
            .flatMap(changedIn)
            .filter(({ edit, diff }) => !reverted.some(({ turnId, path }) => turnId === edit.turnId && path === diff.path));
        const ofTurn = changed.filter(({ edit }) => edit.turnId === changed.at(-1)?.edit.turnId);
        const paths = [...new Set(ofTurn.map(({ diff }) => diff.path))];
        return paths.flatMap(path => {
            const edits = ofTurn.filter(({ diff }) => diff.path === path);
            return [{ ...edits[0], edits: edits.map(({ edit }) => edit) }];
        });
    }

    /** @param anew the chat was built again, perhaps without the message that held the list */
    accept(events: readonly SessionEvent[], anew: boolean): void {
        if (anew) {
            this.shown = '';
        }
        const { page, sessionId = '' } = this.host;
        const done = events.flatMap(event => (event.kind === 'tool' && event.tool.status === 'completed' ? [event] : []));
        done.forEach(
            ({ turnId, tool: { id: toolId, diff } }) => diff && page.diffs.showWritten({ edit: { sessionId, turnId, toolId }, diff })
        );
        if (anew || done.length > 0) {
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
        protected readonly file: TurnChange,
        protected readonly host: ChangeHost
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
        await this.host.revert(this.file);
    }
}

function revertedIn({ response }: ChatRequestModel): { turnId: string; path: string }[] {
    return response.response.content.flatMap(part => (part instanceof NoticeContent && part.data.reverted) || []);
}

function changedIn({ response }: ChatRequestModel): ChangedFile[] {
    return response.response.content.flatMap(part => {
        const details = ToolCallChatResponseContent.is(part) ? toolDetails(part) : undefined;
        return details?.diff && details.status === 'completed' ? { edit: details.edit, diff: details.diff } : [];
    });
}
