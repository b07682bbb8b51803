// SPDX-License-Identifier: Apache-2.0

import { ReviewOwner } from '../review/review';

/** Names for people that tell two processes of the same CLI apart: "Qwen Code", "Qwen Code 2". */
export class CliNames {
    private readonly processes = new Map<string, string[]>();

    /** @param displayName a CLI's name, by its id */
    constructor(private readonly displayName: (cliId: string) => string) {}

    nameOf(owner: ReviewOwner): string {
        const seen = this.processes.get(owner.cliId) ?? [];
        const key = processKey(owner);
        if (!seen.includes(key)) {
            const free = seen.indexOf('');
            seen.splice(free < 0 ? seen.length : free, free < 0 ? 0 : 1, key);
            this.processes.set(owner.cliId, seen);
        }
        const place = seen.indexOf(key);
        const name = this.displayName(owner.cliId);
        return place === 0 ? name : `${name} ${place + 1}`;
    }

    /** Lets the numbers of processes that have no session any more be used again. */
    keepOnly(owners: readonly ReviewOwner[]): void {
        const keys = new Set(owners.map(processKey));
        this.processes.forEach(seen => seen.forEach((key, index) => (seen[index] = keys.has(key) ? key : '')));
    }
}

/** After `/ide enable` a CLI has two sessions; it is still one. */
export function processKey(owner: ReviewOwner): string {
    return owner.peer ? `${owner.peer.pid}/${owner.peer.startTime}` : owner.id;
}
