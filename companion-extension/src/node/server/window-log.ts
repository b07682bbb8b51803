// SPDX-License-Identifier: Apache-2.0

import { LogLines } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { CliSession, CliSessionState } from './cli-session';

const STATES: Readonly<Record<CliSessionState, string>> = {
    initialised: 'begins to connect',
    streaming: 'is connected',
    lost: 'has lost its stream',
    gone: 'does not respond',
    closed: 'is disconnected'
};

const MAX_LINES = 500;
/** A path may be long. */
const MAX_LINE_CHARACTERS = 1_000;

/** A session as the log knows it: its number, and what was logged last. */
interface LoggedSession {
    readonly number: number;
    state?: CliSessionState;
    pid?: number;
}

/**
 * What happened between a window's server and the CLIs, for the window's output channel. It stays in memory, and nothing of a file's
 * content and no token is in it.
 */
export class WindowLog {
    protected readonly lines: string[] = [];
    /** The number of the newest line; the first is 1. */
    newest = 0;
    protected readonly sessions = new WeakMap<object, LoggedSession>();
    protected sessionCount = 0;

    constructor(protected readonly now: () => Date = () => new Date()) {}

    /**
     * @param text one line, without contents and tokens
     * @param session that did it, or that it was done for
     */
    add(text: string, session?: Pick<CliSession, 'cliId'>): void {
        const line = `${session ? `${session.cliId} ${this.entryOf(session).number}: ` : ''}${text}`.replace(/[\r\n]+/g, ' ');
        const short = line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line;
        this.lines.push(`${this.now().toISOString()} ${short}`);
        this.newest++;
        if (this.lines.length > MAX_LINES) {
            this.lines.shift();
        }
    }

    /** A session began, changed its state, or its process became known. */
    addState(session: Pick<CliSession, 'cliId' | 'state' | 'peer'>): void {
        const { state, peer } = session;
        const known = this.entryOf(session);
        if (known.state !== state) {
            known.state = state;
            this.add(STATES[state], session);
        }
        if (peer && known.pid !== peer.pid) {
            known.pid = peer.pid;
            this.add(`is process ${peer.pid}${peer.folder === undefined ? '' : ` in ${visibleText(peer.folder)}`}`, session);
        }
    }

    /** @returns the lines that are kept and newer than this number */
    after(number: number): LogLines {
        const wanted = Math.min(Math.max(this.newest - number, 0), this.lines.length);
        return { newest: this.newest, lines: wanted > 0 ? this.lines.slice(-wanted) : [] };
    }

    protected entryOf(session: object): LoggedSession {
        const known = this.sessions.get(session) ?? { number: ++this.sessionCount };
        this.sessions.set(session, known);
        return known;
    }
}
