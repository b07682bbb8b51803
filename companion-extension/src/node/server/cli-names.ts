// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { visibleText } from '../../common/visible-text';
import { ReviewOwner } from '../review/review';

/**
 * Names for people that tell the processes of a CLI apart. The first one is "Qwen Code". Another one has its folder's name beside it, as in
 * "Qwen Code · src", or a number if it runs in the same folder. A process keeps its name.
 */
export class CliNames {
    protected readonly named = new Map<string, NamedProcess>();

    /** @param displayName a CLI's name, by its id */
    constructor(protected readonly displayName: (cliId: string) => string) {}

    /** After `/ide enable` a CLI has two sessions; it is still one. */
    static keyOf(this: void, owner: ReviewOwner): string {
        return owner.peer ? `${owner.cliId} ${owner.peer.pid}/${owner.peer.startTime}` : owner.id;
    }

    nameOf(owner: ReviewOwner): string {
        const key = CliNames.keyOf(owner);
        const known = this.named.get(key);
        if (known) {
            return known.name;
        }
        // Its process is known only now, and has the name that the session had until then.
        const name = this.named.get(owner.id)?.name ?? this.freeName(owner);
        this.named.delete(owner.id);
        this.named.set(key, { name, cliId: owner.cliId, folder: owner.peer?.folder });
        return name;
    }

    /** Frees the names of processes that have no session any more. */
    keepOnly(owners: readonly ReviewOwner[]): void {
        const keys = new Set(owners.map(CliNames.keyOf));
        [...this.named.keys()].filter(key => !keys.has(key)).forEach(key => this.named.delete(key));
    }

    protected freeName({ cliId, peer }: ReviewOwner): string {
        const folder = peer?.folder;
        const cli = this.displayName(cliId);
        const others = [...this.named.values()].filter(other => other.cliId === cliId);
        const isFree = (name: string): boolean => others.every(other => other.name !== name);
        if (isFree(cli)) {
            return cli;
        }
        if (folder !== undefined && others.every(other => other.folder !== folder)) {
            const segments = visibleText(folder).split(path.sep).filter(Boolean);
            const names = segments.map((_, index) => `${cli} · ${segments.slice(-1 - index).join('/')}`);
            const name = names.find(isFree);
            if (name !== undefined) {
                return name;
            }
        }
        let number = 2;
        while (!isFree(`${cli} ${number}`)) {
            number++;
        }
        return `${cli} ${number}`;
    }
}

interface NamedProcess {
    readonly name: string;
    readonly cliId: string;
    readonly folder: string | undefined;
}
