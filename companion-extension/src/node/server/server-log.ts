// SPDX-License-Identifier: Apache-2.0

import { LogLines } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { CliSession, SessionState } from '../mcp/cli-session';
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
    /** By the sessions' ids: their numbers, and the state that was logged last. */
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

    /** Whether the user's decision is sent as a notification, or not at all. */
    ended({ review: { owner, filePath, text }, state }: ReviewEnd): void {
        const notification = { accepted: ', ide/diffAccepted', rejected: ', ide/diffRejected', closed: '', replaced: '', orphaned: '' }[
            state
        ];
        const edits = text !== undefined && state !== 'accepted' ? ', the edits in it are kept here' : '';
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

/** Lines that a window keeps. */
const MAX_LINES = 500;
/** Workspaces whose lines are kept after their last page has gone. */
const MAX_LOGS = 20;
/** Characters of a line: a path may be long. */
const MAX_LINE = 1_000;

/**
 * What happened between a window's servers and the CLIs, for the window's output channel. It stays in memory, and nothing of a file's
 * content and no token is in it.
 */
export class WindowLog {
    protected readonly lines: string[] = [];
    /** The number of the newest line; the first is 1. */
    newest = 0;
    protected sessions = 0;

    constructor(protected readonly now: () => Date = () => new Date()) {}

    /** @param text one line, without contents and tokens */
    add(text: string): void {
        const line = text.replace(/[\r\n]+/g, ' ');
        this.lines.push(`${this.now().toISOString()} ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`);
        this.newest++;
        if (this.lines.length > MAX_LINES) {
            this.lines.shift();
        }
    }

    /** The next session's number. */
    nextSession(): number {
        return ++this.sessions;
    }

    /** The lines that are kept and newer than this number. */
    after(number: number): LogLines {
        const wanted = Math.min(Math.max(this.newest - number, 0), this.lines.length);
        return { newest: this.newest, lines: wanted > 0 ? this.lines.slice(-wanted) : [] };
    }
}

/** One log for each workspace: a page that is opened again has the lines of the one before. */
export class WorkspaceLogs {
    /** By their roots, the one that was used last at the end. */
    protected readonly logs = new Map<string, WindowLog>();

    of(roots: readonly string[]): WindowLog {
        const key = [...roots].sort().join('\0');
        const log = this.logs.get(key) ?? new WindowLog();
        this.logs.delete(key);
        this.logs.set(key, log);
        if (this.logs.size > MAX_LOGS) {
            this.logs.delete([...this.logs.keys()][0]);
        }
        return log;
    }
}
