// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';

/** A text to compare others with, also after it is let go. Line endings and a byte order mark do not count: editors and formatters change them. */
export class TextMark {
    protected digest: string | undefined;

    constructor(protected text: string | undefined) {}

    is(other: TextMark): boolean {
        return this === other || this.value === other.value;
    }

    /** Lets go of the text. Ten megabytes take 13 ms, so this is not done while a CLI waits. */
    release(): void {
        this.digest = this.value;
        this.text = undefined;
    }

    protected get value(): string {
        if (this.digest === undefined) {
            const plain = (this.text ?? '').replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
            this.digest = createHash('sha256').update(plain).digest('base64');
        }
        return this.digest;
    }
}

/** Tells what the files have that proposals are about. */
export interface FileLooks {
    /** Looks at the file. @returns `undefined` if its content cannot be found out. Never rejects. */
    look(file: string): Promise<TextMark | undefined>;
}
