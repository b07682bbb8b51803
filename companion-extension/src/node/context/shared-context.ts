// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { IdeContext, withoutSelection } from '../../common/companion-protocol';
import { isInside } from '../host/paths';
import { CliSession } from '../server/cli-session';
import { CliSessions } from '../server/cli-sessions';

const NOTHING: IdeContext = { workspaceState: { openFiles: [] } };

export interface SentContext {
    readonly session: CliSession;
    readonly context: IdeContext;
}

/** The context that the sessions of one server share. It belongs to the open folders: a CLI in other folders gets nothing. */
export class SharedContext {
    protected roots: readonly string[] = [];
    protected newest: IdeContext | undefined;
    /** The folders that were open when a session began: its CLI works in one of them. */
    protected readonly beganIn = new WeakMap<CliSession, readonly string[]>();

    protected readonly onDidSendEmitter = new Emitter<SentContext>();
    readonly onDidSend = this.onDidSendEmitter.event;

    constructor(protected readonly sessions: CliSessions) {
        sessions.onDidJoin(session => this.join(session));
        sessions.onWillPublish(roots => this.openFolders(roots));
    }

    /**
     * Other folders are open from now on. Comes before anybody can find the server by them.
     *
     * @param roots absolute real paths
     */
    protected openFolders(roots: readonly string[]): void {
        const before = this.roots;
        const told = this.sessions.all().filter(session => this.isMember(session));
        this.roots = roots;
        if (this.newest && !areKept(before, roots)) {
            this.newest = undefined;
            told.forEach(session => this.send(session, NOTHING));
        } else if (this.newest && roots.length > before.length) {
            // Trust in fewer folders says nothing about more folders. CLIs that know of the trust get no update: they would ask for a restart.
            this.newest = { workspaceState: { openFiles: this.newest.workspaceState?.openFiles } };
        }
    }

    /** Sends the context to every session of the open folders, and to each later one as soon as its stream is open. */
    update(context: IdeContext): void {
        const { isTrusted } = this.newest?.workspaceState ?? {};
        // A reloaded page or another window may not know the trust yet. A CLI would take missing trust for changed trust.
        const known = isTrusted === undefined ? context : { workspaceState: { isTrusted, ...context.workspaceState } };
        this.newest = known;
        this.sessions
            .all()
            .filter(session => this.isMember(session))
            .forEach(session => this.send(session, known));
    }

    /** The page that said it has gone, and nothing would withdraw it. The paths of the open files stay. */
    forgetSelection(): void {
        const kept = this.newest && withoutSelection(this.newest);
        if (kept && kept !== this.newest) {
            this.update(kept);
        }
    }

    protected join(session: CliSession): void {
        this.beganIn.set(session, this.roots);
        if (this.newest) {
            this.send(session, this.newest);
        }
    }

    protected send(session: CliSession, context: IdeContext): void {
        session.notify({ method: 'ide/contextUpdate', params: context });
        this.onDidSendEmitter.fire({ session, context });
    }

    protected isMember(session: CliSession): boolean {
        const began = this.beganIn.get(session) ?? [];
        return began.length === 0 ? this.roots.length === 0 : began.some(folder => this.roots.some(root => isInside(root, folder)));
    }
}

/** Whether all folders stay open. If there was none, what was shared belongs to no folder. */
function areKept(before: readonly string[], roots: readonly string[]): boolean {
    return before.length > 0 ? before.every(root => roots.includes(root)) : roots.length === 0;
}
