// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { textAsMarkdown } from '../../common/plain-text';
import { EditDiffResourceResolver, TurnChange } from './edit-diff-resources';

/** Stands for what a tool could not read as text. */
const NO_TEXT = '\uFFFD';

export interface ReadFile {
    readonly value: string;
    readonly mtime: number;
    readonly etag: string;
}

/** Theia's files and the editors that are open on them. */
export interface TextFiles {
    read(uri: URI): Promise<ReadFile>;
    /** Fails if the file is not as it was read. */
    write(uri: URI, text: string, read: ReadFile): Promise<unknown>;
    delete(uri: URI): Promise<void>;
    isDirty(uri: URI): boolean;
}

/** Gives a file the text back that it had before a turn, only while it is what Qwen wrote. */
export class FileRevert {
    constructor(
        protected readonly files: TextFiles,
        protected readonly diffs: Pick<EditDiffResourceResolver, 'texts'>,
        protected readonly messages: Pick<MessageService, 'warn'>
    ) {}

    /**
     * Says why if it cannot be done.
     *
     * @param confirm asked only if it can be done
     * @returns whether it was done
     */
    async revert({ edits, diff }: TurnChange, confirm: () => Promise<boolean>): Promise<boolean> {
        const uri = FileUri.create(diff.path);
        const texts = await Promise.all(edits.map(edit => this.diffs.texts(edit)));
        const kept = texts.flatMap(text => (text?.isExact && !text.oldText.includes(NO_TEXT) ? text : []));
        const [before, after] = [kept[0], kept[kept.length - 1]];
        if (kept.length !== edits.length || !before) {
            return this.refuse(uri, nls.localize('theia/qwen-daemon/diff/gone', 'The texts of this edit are no longer kept.'));
        }
        // Between two edits of Qwen somebody else may have written.
        const isQwens = kept.every(({ oldText }, index) => index === 0 || plain(kept[index - 1].newText) === plain(oldText));
        if (!isQwens || !(await this.readAsWritten(uri, after.newText))) {
            return this.refuseChanged(uri);
        }
        if (!(await confirm())) {
            return false;
        }
        // Again: while the question was open, somebody may have changed it.
        const now = await this.readAsWritten(uri, after.newText);
        if (!now) {
            return this.refuseChanged(uri);
        }
        try {
            if (diff.isNew) {
                await this.files.delete(uri);
            } else {
                await this.files.write(uri, inFormOf(now.value, before.oldText, after.newText), now);
            }
            return true;
        } catch (error) {
            return this.refuse(uri, error instanceof Error ? error.message : String(error));
        }
    }

    /** `undefined` if the file is not what Qwen wrote, is no text, is missing, or has changes that are not saved. */
    protected async readAsWritten(uri: URI, written: string): Promise<ReadFile | undefined> {
        if (this.files.isDirty(uri)) {
            return undefined;
        }
        const now = await this.files.read(uri).catch(() => undefined);
        return now && plain(now.value) === plain(written) ? now : undefined;
    }

    protected refuseChanged(uri: URI): false {
        return this.refuse(
            uri,
            nls.localize(
                'theia/qwen-daemon/changes/changed',
                'It is not, or not only, what Qwen wrote. Compare it and restore what you want.'
            )
        );
    }

    protected refuse({ path }: URI, why: string): false {
        const text = nls.localize('theia/qwen-daemon/changes/notReverted', '{0} was not reverted. {1}', path.base, why);
        this.messages.warn(textAsMarkdown(text));
        return false;
    }
}

/** Tools of Qwen Code (0.24) report CRLF as LF, and Theia reads no byte order mark. */
function plain(text: string): string {
    return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** The earlier text with the line endings that the file has, where the tool did not report them. */
function inFormOf(now: string, before: string, after: string): string {
    const text = before.replace(/^\uFEFF/, '');
    return now.includes('\r\n') && !after.includes('\r\n') && !before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}
