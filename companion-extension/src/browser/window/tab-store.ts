// SPDX-License-Identifier: Apache-2.0

/** The storage of the tab. A function, because reading `window.sessionStorage` can throw. */
export type TabStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * A list that the browser keeps for this tab, also over a reload, and copies with a duplicated tab. Of one installation: the same origin may
 * serve somebody else's backend tomorrow.
 */
export class TabStore<T> {
    protected written: string | undefined;

    /**
     * @param prefix of its keys
     * @param installation whose backend it is; `undefined` before the first hello
     */
    constructor(
        protected readonly prefix: string,
        protected readonly installation: () => string | undefined,
        protected readonly storage: TabStorage = () => window.sessionStorage
    ) {}

    /** Empty if nothing is stored, or if it cannot be read. */
    read(): T[] {
        try {
            const values: unknown = JSON.parse(this.storage().getItem(this.key ?? '') ?? '[]');
            return Array.isArray(values) ? (values as T[]) : [];
        } catch {
            return [];
        }
    }

    /** @returns `false` if the browser refuses it, as it does with what is too long, or if it is not known yet whose it is */
    write(values: readonly T[]): boolean {
        const { key, written } = this;
        if (key === undefined) {
            // What an earlier load of the page has stored stays as it is.
            return values.length === 0;
        }
        try {
            const storage = this.storage();
            if (values.length > 0) {
                storage.setItem(key, JSON.stringify(values));
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
            return values.length === 0;
        }
    }

    /** It has what this load of the page did not read: of another installation, or before the first hello. */
    get hasOthers(): boolean {
        try {
            const storage = this.storage();
            const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
            return keys.some(key => key?.startsWith(this.prefix) && key !== this.key);
        } catch {
            return false;
        }
    }

    protected get key(): string | undefined {
        const installation = this.installation();
        return installation === undefined ? undefined : `${this.prefix}${installation}`;
    }
}
