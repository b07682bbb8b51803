// SPDX-License-Identifier: Apache-2.0

import { ChangeSetElement } from '@theia/ai-chat/lib/common';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import { DiffInfo } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { ChangedFile } from './changed-files';

/** What an entry of the list of changes needs of the page. */
export interface ChangeViewer {
    /** Shows the file as it is now beside its text before an edit. */
    showSince(edit: Edit, diff: DiffInfo): Promise<void>;
    openFile(uri: URI): Promise<void>;
    /** Gives the file the text that it had before the turn, after asking where that is not what Qwen left. */
    takeBack(file: ChangedFile): Promise<void>;
}

/** A file that a turn changed, in Theia's list of changes above the chat's input. Theia does not store it: the answers' tool calls say the same. */
export class ChangedFileElement implements ChangeSetElement {
    readonly uri: URI;
    readonly state = 'applied';
    readonly type: 'add' | 'modify';

    constructor(
        readonly file: ChangedFile,
        protected readonly folder: string,
        protected readonly viewer: ChangeViewer
    ) {
        this.uri = FileUri.create(file.diff.path);
        this.type = file.diff.isNew ? 'add' : 'modify';
    }

    get name(): string {
        return this.uri.path.base;
    }

    get additionalInfo(): string {
        const { dir } = this.uri.path;
        return (this.folder && FileUri.create(this.folder).path.relative(dir)?.toString()) ?? dir.toString();
    }

    async open(): Promise<void> {
        await this.viewer.openFile(this.uri);
    }

    async openChange(): Promise<void> {
        await this.viewer.showSince(this.file.edit, this.file.diff);
    }

    async revert(): Promise<void> {
        await this.viewer.takeBack(this.file);
    }
}
