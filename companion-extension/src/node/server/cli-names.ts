// SPDX-License-Identifier: Apache-2.0

import { PeerProcess } from '../host/process-table';

/** A session, as far as its CLI's name depends on it. */
export interface NamedSession {
    readonly id: string;
    readonly cliId: string;
    readonly peer?: PeerProcess;
}

/** Names for people that tell the processes of a CLI apart: "Qwen Code", then "Qwen Code 2". A process keeps its name. */
export class CliNames {
    /** Names by process, or by session where its process is not known. */
    protected readonly names = new Map<string, string>();

    /** @param displayName a CLI's name, by its id */
    constructor(protected readonly displayName: (cliId: string) => string) {}

    /** After `/ide enable` a CLI has two sessions; it is still one. */
    static keyOf(this: void, session: NamedSession): string {
        return session.peer ? `${session.cliId} ${session.peer.pid}/${session.peer.startTime}` : session.id;
    }

    nameOf(session: NamedSession): string {
        const key = CliNames.keyOf(session);
        const known = this.names.get(key);
        if (known !== undefined) {
            return known;
        }
        // Its process is known only now, and has the name that the session had until then.
        const name = this.names.get(session.id) ?? this.freeName(session);
        this.names.delete(session.id);
        this.names.set(key, name);
        return name;
    }

    /** Frees all other names. */
    keepOnly(sessions: readonly NamedSession[]): void {
        const keys = new Set(sessions.map(CliNames.keyOf));
        [...this.names.keys()].filter(key => !keys.has(key)).forEach(key => this.names.delete(key));
    }

    protected freeName({ cliId }: NamedSession): string {
        const cli = this.displayName(cliId);
        const taken = new Set(this.names.values());
        let name = cli;
        for (let number = 2; taken.has(name); number++) {
            name = `${cli} ${number}`;
        }
        return name;
    }
}
