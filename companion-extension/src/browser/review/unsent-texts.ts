// SPDX-License-Identifier: Apache-2.0

import { ReviewSave } from '../../common/companion-protocol';
import { SaveStore } from './page-reviews';

const KEY = 'companion.edits.';

/** The storage of the tab. A function, because reading `window.sessionStorage` can throw. */
export type TabStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * Typed texts that are not confirmed. The tab keeps them, also over a reload, and the next load of the page sends them. Of one installation:
 * the same origin may serve somebody else's backend tomorrow.
 */
export class UnsentTexts implements SaveStore {
    protected written: string | undefined;
    protected readFrom: string | undefined;

    /** @param installation whose backend it is; `undefined` before the first hello */
    constructor(
        protected readonly installation: () => string | undefined,
        protected readonly storage: TabStorage = () => window.sessionStorage
    ) {}

    /** The tab has what this load of the page did not read: of another installation, or before the first hello. */
    get hasOthers(): boolean {
        try {
            const storage = this.storage();
            const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
            return keys.some(key => key?.startsWith(KEY) && key !== this.key);
        } catch {
            return false;
        }
    }

    /** @returns `false` if the browser refuses it, as it does with what is too long, or if it is not known yet whose it is */
    write(saves: readonly ReviewSave[]): boolean {
        const { key, written } = this;
        if (key === undefined) {
            // What an earlier load of the page has stored stays as it is.
            return saves.length === 0;
        }
        try {
            const storage = this.storage();
            if (saves.length > 0) {
                storage.setItem(key, JSON.stringify(saves));
            } else {
                storage.removeItem(key);
            }
            if (written !== undefined && written !== key) {
                // The backend could not read its id until now.
                storage.removeItem(written);
            }
            this.written = key;
            return true;
        } catch {
            return saves.length === 0;
        }
    }

    /** @returns what an earlier load of the page could not send: once for each installation */
    takeEarlier(): ReviewSave[] {
        const { key } = this;
        if (key === undefined || key === this.readFrom) {
            return [];
        }
        this.readFrom = key;
        try {
            const saves: unknown = JSON.parse(this.storage().getItem(key) ?? '[]');
            return Array.isArray(saves) ? (saves as ReviewSave[]) : [];
        } catch {
            return [];
        }
    }

    protected get key(): string | undefined {
        const installation = this.installation();
        return installation === undefined ? undefined : `${KEY}${installation}`;
    }
}
