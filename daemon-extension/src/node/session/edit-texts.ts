// SPDX-License-Identifier: Apache-2.0

import { DiffTexts } from '../../common/qwen-daemon-protocol';

/** Characters of all edits that are kept, of one session; the oldest go first, the newest never. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Both sides of a session's edits, which a page asks for when it shows one. */
export class EditTexts {
    private readonly texts = new Map<string, DiffTexts>();
    private characters = 0;

    get(key: string): DiffTexts | undefined {
        return this.texts.get(key);
    }

    keep(key: string, texts: DiffTexts): void {
        this.forget(key);
        this.texts.set(key, texts);
        this.characters += sizeOf(texts);
        for (const oldest of this.texts.keys()) {
            if (this.characters <= MAX_CHARACTERS || oldest === key) {
                return;
            }
            this.forget(oldest);
        }
    }

    private forget(key: string): void {
        const texts = this.texts.get(key);
        if (texts) {
            this.characters -= sizeOf(texts);
            this.texts.delete(key);
        }
    }
}

function sizeOf({ oldText, newText, path }: DiffTexts): number {
    return oldText.length + newText.length + path.length;
}
