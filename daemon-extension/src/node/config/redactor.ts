// SPDX-License-Identifier: Apache-2.0

import { cappedText, DaemonLimits } from '../../common/qwen-daemon-protocol';

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
    redact(text: string, limit: number = DaemonLimits.label): string {
        let result = text;
        for (const secret of this.secrets) {
            result = result.replaceAll(secret, '…');
        }
        return cappedText(result, limit);
    }

    /** A text of one line, or nothing. */
    label(text: string | null | undefined): string {
        return this.redact(text ?? '');
    }

    /** For messages of errors and logs, which nobody decides by: also what looks like a key. */
    redactError(text: string, limit: number = DaemonLimits.label): string {
        return cappedText(this.redact(text, Infinity).replace(KEY_LIKE, '…'), limit);
    }
}
