// SPDX-License-Identifier: Apache-2.0

/** The memory of this tab, which survives a reload. If it forbids that, nothing is there after the reload. */
export class TabMemory {
    static read(key: string): string | undefined {
        try {
            return window.sessionStorage.getItem(key) ?? undefined;
        } catch {
            return undefined;
        }
    }

    /** @param value `undefined` to forget it */
    static write(key: string, value: string | undefined): void {
        try {
            if (value === undefined) {
                window.sessionStorage.removeItem(key);
            } else {
                window.sessionStorage.setItem(key, value);
            }
        } catch {
            return;
        }
    }

    /** A list of ids, as JSON. */
    static readIds(key: string): string[] {
        try {
            const ids: unknown = JSON.parse(TabMemory.read(key) ?? '[]');
            return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
        } catch {
            return [];
        }
    }
}
