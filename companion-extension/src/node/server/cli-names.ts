// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { visibleText } from '../../common/visible-text';
import { ReviewOwner } from '../review/review';

/**
 * Names for people that tell the processes of a CLI apart. The first one is "Qwen Code". Another one has its folder's name beside it, as in
 * "Qwen Code · src", or a number if it runs in the same folder. A process keeps its name.
 */
export class CliNames {
    /** By their keys, in an inner map for each CLI. */
    protected readonly named = new Map<string, Map<string, NamedProcess>>();

    /** @param displayName a CLI's name, by its id */
    constructor(protected readonly displayName: (cliId: string) => string) {}

    /** After `/ide enable` a CLI has two sessions; it is still one. */
    static keyOf(this: void, owner: ReviewOwner): string {
        return owner.peer ? `${owner.peer.pid}/${owner.peer.startTime}` : owner.id;
    }

    nameOf(owner: ReviewOwner): string {
        const processes = this.named.get(owner.cliId) ?? new Map<string, NamedProcess>();
        this.named.set(owner.cliId, processes);
        const key = CliNames.keyOf(owner);
        const known = processes.get(key);
        if (known) {
            return known.name;
        }
        const folder = owner.peer?.folder;
        // Its process is known only now, and has the name that the session had until then.
        const before = processes.get(owner.id)?.name;
        const name = before ?? this.freeName(this.displayName(owner.cliId), folder, [...processes.values()]);
        processes.delete(owner.id);
        processes.set(key, { name, folder });
        return name;
    }

    /** Frees the names of processes that have no session any more. */
    keepOnly(owners: readonly ReviewOwner[]): void {
        const keys = new Set(owners.map(CliNames.keyOf));
        for (const processes of this.named.values()) {
            [...processes.keys()].filter(key => !keys.has(key)).forEach(key => processes.delete(key));
        }
    }

    protected freeName(cli: string, folder: string | undefined, others: readonly NamedProcess[]): string {
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
    readonly folder: string | undefined;
}
