// SPDX-License-Identifier: Apache-2.0

import { StoredContent } from './stored-content';

export const NOTICE_KIND = 'qwenDaemonNotice';

export interface NoticeData {
    message: string;
    warning?: boolean;
}

/** A notice to the user, as plain text. Theia does not render its own informational content at all (1.74). */
export class NoticeContent extends StoredContent<NoticeData> {
    readonly kind = NOTICE_KIND;

    override asString(): string {
        return this.data.message;
    }
}
