// SPDX-License-Identifier: Apache-2.0

import { IdeContext } from '../../common/ide-context';
import { isInside } from '../host/workspace-roots';
import { McpSession } from './mcp-session';

const NOTHING: IdeContext = { workspaceState: { openFiles: [] } };

/** What the sessions of one server are told of the editors. It belongs to the folders that are open: a CLI of others is told nothing. */
export class SharedContext {
    protected roots: readonly string[] = [];
    protected newest: IdeContext | undefined;
    /** The folders that were open when a session began: its CLI works in one of them. */
    protected readonly beganIn = new WeakMap<McpSession, readonly string[]>();

    constructor(protected readonly sessions: () => readonly McpSession[]) {}

    /**
     * Other folders are open from now on. Has to come before anybody can find the server by them.
     *
     * @param roots absolute real paths
     */
    openFolders(roots: readonly string[]): void {
        const before = this.roots;
        const told = this.sessions().filter(session => this.isMember(session));
        this.roots = roots;
        if (this.newest && !areKept(before, roots)) {
            this.newest = undefined;
            told.forEach(session => send(session, NOTHING));
        } else if (this.newest && roots.length > before.length) {
            // That fewer folders are trusted says nothing of more. A CLI that knows it already is not told: it would ask for a restart.
            this.newest = { workspaceState: { openFiles: this.newest.workspaceState?.openFiles } };
        }
    }

    /** Tells every session of the open folders, and each later one as soon as its stream is open. */
    update(context: IdeContext): void {
        const { isTrusted } = this.newest?.workspaceState ?? {};
        // A page that was reloaded, or another window, may not know the trust yet; for a CLI, trust that goes is trust that changed.
        const known = isTrusted === undefined ? context : { workspaceState: { isTrusted, ...context.workspaceState } };
        this.newest = known;
        this.sessions()
            .filter(session => this.isMember(session))
            .forEach(session => send(session, known));
    }

    join(session: McpSession): void {
        this.beganIn.set(session, this.roots);
        if (this.newest) {
            send(session, this.newest);
        }
    }

    protected isMember(session: McpSession): boolean {
        const began = this.beganIn.get(session) ?? [];
        return began.length === 0 ? this.roots.length === 0 : began.some(folder => this.roots.some(root => isInside(root, folder)));
    }
}

/** Whether all folders stay open. Where there was none, what was shared belongs to no folder. */
function areKept(before: readonly string[], roots: readonly string[]): boolean {
    return before.length > 0 ? before.every(root => roots.includes(root)) : roots.length === 0;
}

function send(session: McpSession, context: IdeContext): void {
    session.notify({ method: 'ide/contextUpdate', params: context });
}
