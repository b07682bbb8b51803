// SPDX-License-Identifier: Apache-2.0

import { visibleText } from '../../common/visible-text';
import type { CliSession, SessionState } from '../mcp/cli-session';
import type { WindowLog } from '../host/window-log';
import { ReviewOwner } from '../review/review';
import { ReviewEnd } from '../review/reviews';

const STATES: Readonly<Record<SessionState, string>> = {
    initialised: 'begins to connect',
    streaming: 'is connected',
    lost: 'has lost its stream',
    gone: 'does not respond',
    closed: 'is disconnected'
};

/** The log of a server's window. It gets no contents and no tokens. */
export type LogWriter = Pick<WindowLog, 'add' | 'nextSession'>;

/** Writes what the sessions of one server do into the log of its window. */
export class ServerLog {
    /** By the sessions' ids: their numbers, and the state that was told last. */
    protected readonly sessions = new Map<string, { number: number; state?: SessionState; pid?: number }>();

    constructor(protected readonly log: LogWriter) {}

    started(port: number): void {
        this.log.add(`Serves this window on 127.0.0.1:${port}`);
    }

    /** @param complete whether every discovery file was written */
    published(complete: boolean, roots: readonly string[]): void {
        const folders = roots.length > 0 ? roots.map(visibleText).join(', ') : 'no folder';
        this.log.add(`${complete ? 'Discovery files are published' : 'Not every discovery file could be published'} for ${folders}`);
    }

    stopped(port: number): void {
        this.log.add(`Serves this window no longer on 127.0.0.1:${port}`);
    }

    /** A session began, changed its state, or its process became known. */
    session({ id, cliId, state, peer }: Pick<CliSession, 'id' | 'cliId' | 'state' | 'peer'>): void {
        const known = this.known(id);
        if (known.state !== state) {
            this.add({ id, cliId }, STATES[state]);
            known.state = state;
        }
        if (peer && known.pid !== peer.pid) {
            this.add({ id, cliId }, `is process ${peer.pid}${peer.folder === undefined ? '' : ` in ${visibleText(peer.folder)}`}`);
            known.pid = peer.pid;
        }
        if (state === 'closed') {
            this.sessions.delete(id);
        }
    }

    /** @param characters of the proposal */
    called(owner: ReviewOwner, tool: 'openDiff' | 'closeDiff', filePath: string, characters?: number): void {
        const size = characters === undefined ? '' : ` (${characters} characters)`;
        this.add(owner, `${tool} ${visibleText(filePath)}${size}`);
    }

    /** @param reason why the tool fails */
    refused(owner: ReviewOwner, tool: 'openDiff' | 'closeDiff', reason: string): void {
        this.add(owner, `${tool} refused: ${visibleText(reason)}`);
    }

    /** Whether the user's decision leaves as a notification, or nobody is told. */
    ended({ review: { owner, filePath, drafts }, state }: ReviewEnd): void {
        const notification = { accepted: ', ide/diffAccepted', rejected: ', ide/diffRejected', closed: '', replaced: '', orphaned: '' }[
            state
        ];
        const edits = drafts.length > 0 && state !== 'accepted' ? ', the edits in it are kept here' : '';
        if (owner) {
            this.add(owner, `diff ${visibleText(filePath)} ${state}${notification}${edits}`);
        }
    }

    protected add({ id, cliId }: Pick<ReviewOwner, 'id' | 'cliId'>, what: string): void {
        this.log.add(`${cliId} ${this.known(id).number}: ${what}`);
    }

    protected known(id: string): { number: number; state?: SessionState; pid?: number } {
        let known = this.sessions.get(id);
        if (!known) {
            known = { number: this.log.nextSession() };
            this.sessions.set(id, known);
        }
        return known;
    }
}
