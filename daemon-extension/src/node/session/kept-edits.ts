// SPDX-License-Identifier: Apache-2.0

import { DaemonLimits, DiffTexts, EditReference } from '../../common/qwen-daemon-protocol';
import { Redactor } from '../config/redactor';
import { DiffInfo } from '../../common/session-events';

/** Characters of all edits that are kept, of one session; the texts of the oldest go first, those of the newest never. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Both texts of a file, as the tool reported them. */
export interface EditTexts {
    path: string;
    oldText: string;
    newText: string;
}

interface KeptEdit {
    turnId: string;
    path: string;
    /** Absent where no text was ever known. */
    isNew?: boolean;
    /** Both, or none. */
    texts?: Pick<EditTexts, 'oldText' | 'newText'>;
    /** The tool has written the file. */
    isDone: boolean;
}

export type DoneEdit = Pick<KeptEdit, 'path' | 'texts'>;

/** The edits of a session's tools, in the order in which they were done, with both texts: to show them, and to undo them. */
export class KeptEdits {
    protected readonly edits = new Map<string, KeptEdit>();
    protected characters = 0;

    constructor(protected readonly redactor: Redactor) {}

    /** An edit is proposed, or was done. What is known of one that was done stays: a loaded session reports its proposal after it. */
    keep({ turnId, toolId }: EditReference, { path, oldText, newText }: EditTexts): void {
        const key = keyOf(turnId, toolId);
        const known = this.edits.get(key);
        if (known?.isDone && known.texts) {
            return;
        }
        this.put(key, { turnId, path, isNew: oldText === '', texts: { oldText, newText }, isDone: known?.isDone ?? false });
    }

    /** @param path of the file, for an edit whose texts are not known; absent if the tool is none that edits */
    complete({ turnId, toolId }: EditReference, path: string | undefined): void {
        const key = keyOf(turnId, toolId);
        const edit = this.edits.get(key) ?? (path === undefined ? undefined : { turnId, path, isDone: false });
        if (edit && !edit.isDone) {
            this.put(key, { ...edit, isDone: true });
        }
    }

    /** `undefined` if it is no edit, or if its texts were never known. */
    info({ turnId, toolId }: EditReference): DiffInfo | undefined {
        const edit = this.edits.get(keyOf(turnId, toolId));
        return edit?.isNew === undefined ? undefined : { path: edit.path, isNew: edit.isNew };
    }

    /** To be shown: without secrets, and cut. */
    diff({ turnId, toolId }: EditReference): DiffTexts | undefined {
        const edit = this.edits.get(keyOf(turnId, toolId));
        if (!edit?.texts) {
            return undefined;
        }
        const limit = DaemonLimits.diffText;
        const [oldText, newText] = [edit.texts.oldText, edit.texts.newText].map(text => this.redactor.redact(text, Infinity));
        return {
            path: edit.path,
            oldText: oldText.slice(0, limit),
            newText: newText.slice(0, limit),
            truncated: oldText.length > limit || newText.length > limit
        };
    }

    done(turnIds: ReadonlySet<string>): DoneEdit[] {
        return [...this.edits.values()].filter(({ turnId, isDone }) => isDone && turnIds.has(turnId));
    }

    protected put(key: string, edit: KeptEdit): void {
        this.characters -= sizeOf(this.edits.get(key));
        this.edits.delete(key);
        this.edits.set(key, edit);
        this.characters += sizeOf(edit);
        for (const oldest of this.edits.values()) {
            if (this.characters <= MAX_CHARACTERS || oldest === edit) {
                return;
            }
            this.characters -= sizeOf(oldest);
            oldest.texts = undefined;
        }
    }
}

/** A tool call's id is unique only within its turn. */
function keyOf(turnId: string, toolId: string): string {
    return `${turnId}\0${toolId}`;
}

function sizeOf(edit: KeptEdit | undefined): number {
    return edit?.texts ? edit.texts.oldText.length + edit.texts.newText.length : 0;
}
