// SPDX-License-Identifier: Apache-2.0

import { Draft } from '../../common/companion-protocol';

/** What was typed into a proposal, and the backend may not have. */
export interface UnsentDraft {
    reviewId: string;
    draft: Draft;
}

/**
 * Keeps unsent drafts over a reload, also one that Theia does by itself (`reloadOnReconnect`). The storage belongs to one tab, and can be
 * written while the page ends.
 */
export class DraftJournal {
    /** @param storage a getter: a browser that forbids storage throws */
    constructor(protected readonly storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = () => window.sessionStorage) {}

    /** @returns whether they are kept */
    store(installation: string, drafts: readonly UnsentDraft[]): boolean {
        try {
            if (drafts.length > 0) {
                this.storage().setItem(keyOf(installation), JSON.stringify(drafts));
            } else {
                this.storage().removeItem(keyOf(installation));
            }
            return true;
        } catch {
            // Too long for the storage, for example.
            return drafts.length === 0;
        }
    }

    /** Those of an earlier load of the page. */
    load(installation: string): UnsentDraft[] {
        try {
            const drafts: unknown = JSON.parse(this.storage().getItem(keyOf(installation)) ?? '[]');
            return Array.isArray(drafts) ? (drafts as UnsentDraft[]) : [];
        } catch {
            return [];
        }
    }
}

function keyOf(installation: string): string {
    return `companion.drafts.${installation}`;
}
