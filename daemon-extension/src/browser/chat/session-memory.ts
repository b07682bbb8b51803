// SPDX-License-Identifier: Apache-2.0

import { PageMemory } from './chat-restorer';

/** Kept by the browser for this tab. Where it keeps nothing (storage may be forbidden), nothing is remembered. */
export function sessionMemory(key: string): PageMemory {
    return {
        read: () => {
            try {
                return sessionStorage.getItem(key) ?? undefined;
            } catch {
                return undefined;
            }
        },
        write: value => {
            try {
                if (value === undefined) {
                    sessionStorage.removeItem(key);
                } else {
                    sessionStorage.setItem(key, value);
                }
            } catch {
                // Not remembered.
            }
        }
    };
}
