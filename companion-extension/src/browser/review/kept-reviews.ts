// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';

const STORAGE_KEY = 'companion.keptReviews';

/** Remembers over a reload which reviews wait without a tab because the user closed it (`companion.review.onTabClose` = `keep`). */
@injectable()
export class KeptReviews {
    load(): string[] {
        try {
            const ids: unknown = JSON.parse(window.sessionStorage.getItem(STORAGE_KEY) ?? '[]');
            return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
        } catch {
            return [];
        }
    }

    /** Where the browser forbids storage, a reload opens them again. */
    save(ids: readonly string[]): void {
        try {
            window.sessionStorage.setItem(STORAGE_KEY, JSON.stringify(ids));
        } catch {
            return;
        }
    }
}
