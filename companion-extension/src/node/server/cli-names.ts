// SPDX-License-Identifier: Apache-2.0

import { ReviewOwner } from '../review/review';

/** Names for people that tell the processes of a CLI apart: "Qwen Code", then "Qwen Code 2". A process keeps its name. */
export class CliNames {
    /** Names by process, or by session where its process is not known. */
    protected readonly names = new Map<string, string>();

    /** @param displayName a CLI's name, by its id */
    constructor(protected readonly displayName: (cliId: string) => string) {}

    /** After `/ide enable` a CLI has two sessions; it is still one. */
    static keyOf(this: void, owner: ReviewOwner): string {
        return owner.peer ? `${owner.cliId} ${owner.peer.pid}/${owner.peer.startTime}` : owner.id;
    }

    nameOf(owner: ReviewOwner): string {
        const key = CliNames.keyOf(owner);
        const known = this.names.get(key);
        if (known !== undefined) {
            return known;
        }
        // Its process is known only now, and has the name that the session had until then.
        const name = this.names.get(owner.id) ?? this.freeName(owner);
        this.names.delete(owner.id);
        this.names.set(key, name);
        return name;
    }

    /** Frees the names of processes that have no session any more. */
    keepOnly(owners: readonly ReviewOwner[]): void {
        const keys = new Set(owners.map(CliNames.keyOf));
        [...this.names.keys()].filter(key => !keys.has(key)).forEach(key => this.names.delete(key));
    }

    protected freeName({ cliId }: ReviewOwner): string {
        const cli = this.displayName(cliId);
        const taken = new Set(this.names.values());
        let name = cli;
        for (let number = 2; taken.has(name); number++) {
            name = `${cli} ${number}`;
        }
        return name;
    }
}
