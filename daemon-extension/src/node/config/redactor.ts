// SPDX-License-Identifier: Apache-2.0

import { cappedText } from '../../common/qwen-daemon-protocol';

/** Keys of model providers, as their error messages quote them. */
const KEY_LIKE = /\bsk-[A-Za-z0-9_-]{20,}|\bBearer\s+\S+/g;

/** A shorter secret is no secret, and would be found in words that the user must see. */
const MIN_SECRET = 8;

/** Takes secrets out of texts that leave the backend or enter the log. */
export class Redactor {
    protected readonly secrets = new Set<string>();

    add(secret: string): void {
        if (secret.length >= MIN_SECRET) {
            this.secrets.add(secret);
        }
    }

    /**
     * Takes out what is known to be a secret, and nothing that only looks like one: a person decides by such texts, and
     * `rm -rf token-cache` must not read `rm -rf …`.
     *
     * @param limit longest result in characters
     */
    redact(text: string, limit = 2_000): string {
        let result = text;
        for (const secret of this.secrets) {
            result = result.replaceAll(secret, '…');
        }
        return cappedText(result, limit);
    }

    /** How many characters at the end of a text may be the beginning of a secret that is cut there. */
    secretBegunAtEnd(text: string): number {
        return Math.max(0, ...Array.from(this.secrets, secret => overlap(text, secret)));
    }

    /** For messages of errors and logs, which nobody decides by: also what looks like a key. */
    redactError(text: string, limit = 2_000): string {
        return cappedText(this.redact(text, Infinity).replace(KEY_LIKE, '…'), limit);
    }

    /** Of a problem, or another value that has only plain data: {@link redactError} for each text but the codes. */
    redactArguments<T>(value: T): T {
        if (typeof value === 'string') {
            return this.redactError(value) as T;
        }
        if (Array.isArray(value)) {
            return value.map(entry => this.redactArguments<unknown>(entry)) as T;
        }
        if (typeof value === 'object' && value !== null) {
            const entries = Object.entries(value).map(([key, entry]) => [
                key,
                key === 'code' ? entry : this.redactArguments<unknown>(entry)
            ]);
            return Object.fromEntries(entries) as T;
        }
        return value;
    }
}

/** The longest end of the text with which the secret begins; a whole secret is none. */
function overlap(text: string, secret: string): number {
    for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
        if (text.endsWith(secret.slice(0, length))) {
            return length;
        }
    }
    return 0;
}
