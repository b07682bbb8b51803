// SPDX-License-Identifier: Apache-2.0

import { AgentStatus } from '../../common/companion-protocol';
import { KnownAgent } from '../discovery/supported-clis';
import { AgentReport, harmlessText } from './agent-report';
import { Attention } from './attention';
import { OscStream } from './osc-stream';
import { Progress } from './progress';
import { ProgramStatus } from './program-status';
import { TitleStatus } from './title-status';

/** Who has the keyboard of a terminal. */
export interface Foreground {
    readonly pid: number;
    /** The shell itself: no program runs. */
    readonly isShell: boolean;
    /** `undefined` for a program that is no known agent. */
    readonly cli: KnownAgent | undefined;
    /** An editor that it has started reads the keys. */
    readonly isInEditor?: boolean;
}

/** What the companion's own servers know about the CLI in a terminal. */
export interface ConnectedAgent {
    /** Tells two processes of a CLI apart. */
    readonly name: string;
    /** The proposal that it waits for. */
    readonly reviewId: string | undefined;
}

/** When a program did something last. */
export interface ProgramActivity {
    /** As `performance.now` counts; infinite while it works, or if nothing is ever heard of it. */
    readonly activeAt: number;
    /** Whether it says that it works; absent if it does not say. */
    readonly isWorking?: boolean;
    /** As `performance.now` counts: when something was written in its terminal last; absent if it has none. */
    readonly wroteAt?: number;
    /** What it works on, in its own words. */
    readonly topic?: string;
}

/** Between two answers to one program. */
const ANSWER_PERIOD_MS = 1_000;

/** `CODE ; DATA` */
const SEQUENCE = /^(\d+);(.*)$/s;
const PROGRAM_STATUS = '7501';
const TITLES = ['0', '2'];
/** Also of progress. */
const NOTIFICATION = '9';

/**
 * The state of the program in one terminal, from all that is known of it: a proposal of it that waits, what it reports, its title, that it
 * rings, and its progress. Whoever reads it does not learn which of these it was.
 */
export class TerminalAgent {
    protected readonly program = new ProgramStatus();
    protected readonly title = new TitleStatus();
    protected readonly attention = new Attention();
    protected readonly progress = new Progress();
    protected readonly stream = new OscStream({
        osc: (payload, terminator) => this.takeSequence(payload, terminator),
        bell: () => this.foreground?.cli && this.attention.ask()
    });
    protected foreground: Foreground | undefined;
    /** Set by what knows the connections. */
    connected: ConnectedAgent | undefined;
    /** An agent that runs in the background of the terminal. */
    background: KnownAgent | undefined;
    protected last: AgentStatus | undefined;
    /** As `performance.now` counts: when something was written there last. */
    protected wroteAt = -Infinity;
    /** The program in front says when it works. */
    protected hasReported = false;
    /** What the program in front works on, by its title. */
    protected topic: string | undefined;
    /** As `performance.now` counts: when a program said what it does last. */
    protected reportedAt = -Infinity;
    /** The end of a query that is not answered yet: a program asks if its reports are read (OSC 7501). */
    protected query: string | undefined;
    /** Whose query was answered last, when, and whether it has reported since: it has read the answer then. */
    protected answered = { pid: 0, at: -Infinity, isRead: true };

    /**
     * @param shell its process id
     * @param answer writes to the program
     */
    constructor(
        readonly shell: number,
        protected readonly answer: (text: string) => void
    ) {}

    /** Takes what the programs in the terminal write. */
    receive(output: string): void {
        this.wroteAt = performance.now();
        this.stream.feed(output);
    }

    /** When the program did something last, as `performance.now` counts: infinite while it works, or if it never says so. */
    get activeAt(): number {
        return !this.hasReported || this.report?.state === 'working' ? Infinity : this.wroteAt;
    }

    /** How the program works, and on what. A question for a permission is in the middle of its work. */
    get activity(): ProgramActivity {
        const { report, activeAt, wroteAt } = this;
        const topic = this.program.report?.topic ?? this.topic;
        const isWorking = report?.state === 'working' || report?.kind === 'permission';
        const says = isWorking || this.hasReported;
        return { activeAt, wroteAt, ...(says && { isWorking }), ...(topic !== undefined && { topic }) };
    }

    /**
     * Answers a query that has come, or drops it: at once, because the program also asks the terminal for its attributes, and once the page
     * has answered that, it waits no longer and never reports (Claude Code 2.1.332). Anything on the screen may be one, such as a file that is shown. In a shell the answer would stand in the
     * line, and of a program that reads nothing node-pty (1.2.0-beta.12) keeps all answers, and tries to write them without a pause.
     *
     * @param foregroundPid who has the keyboard; `undefined` if the system does not say
     */
    answerQuery(foregroundPid: () => number | undefined): void {
        const { query } = this;
        if (query === undefined) {
            return;
        }
        this.query = undefined;
        const now = performance.now();
        const pid = foregroundPid() ?? 0;
        const { isRead, ...last } = this.answered;
        const isLater = now - last.at >= ANSWER_PERIOD_MS;
        const mayAnswer = pid === last.pid ? isRead && isLater : isRead || isLater;
        if (pid !== this.shell && mayAnswer) {
            this.answered = { pid, at: now, isRead: false };
            // Nothing of what the program wrote is written back: it might be a command for a shell.
            this.answer(`\u001b]${PROGRAM_STATUS};?${query}`);
        }
    }

    /** @param askedAt as `performance.now` counts: a program that has reported since then has come in front since then */
    setForeground(foreground: Foreground, askedAt = performance.now()): void {
        if (foreground.isShell && this.reportedAt > askedAt) {
            return;
        }
        const before = this.foreground;
        const isSame = foreground.pid === before?.pid;
        if (foreground.isShell) {
            this.program.endPrograms();
            this.progress.endPrograms();
        }
        if (!isSame) {
            this.title.end();
            this.topic = undefined;
            this.hasReported = false;
            if (before?.cli) {
                // It wanted an answer, and is gone. Another program may have ended with the news.
                this.attention.end();
            }
        }
        // A process that was killed has no command line until its shell knows.
        this.foreground = { ...foreground, cli: foreground.cli ?? (isSame ? before.cli : undefined) };
    }

    /** The person has looked at the terminal, or typed there. */
    markSeen(): void {
        this.program.markSeen();
        this.title.markSeen();
        this.progress.markSeen();
        this.attention.end();
    }

    /** `undefined` if no program is known and nothing is new. */
    get status(): AgentStatus | undefined {
        const { last, foreground, connected, background, reviewId, report } = this;
        if (!report) {
            this.last = undefined;
            return undefined;
        }
        const { state, kind, message, progress, isSilent } = report;
        const name = connected?.name ?? foreground?.cli?.displayName ?? report.app ?? (isSilent ? background?.displayName : undefined);
        const isSame = last?.state === state && last.kind === kind && last.message === message;
        this.last = {
            shell: this.shell,
            ...(foreground?.cli && { cliId: foreground.cli.id }),
            ...(foreground?.isInEditor && { isInEditor: true as const }),
            ...(isSilent && { isSilent }),
            ...(name !== undefined && { name }),
            state,
            ...(kind && { kind }),
            ...(message !== undefined && { message }),
            ...(progress !== undefined && { progress }),
            ...(reviewId !== undefined && { reviewId }),
            since: isSame ? last.since : Date.now()
        };
        return this.last;
    }

    /** Which known CLI is there, and nothing else. */
    get presence(): AgentStatus | undefined {
        const { cli } = this.foreground ?? {};
        return cli && { shell: this.shell, cliId: cli.id, state: 'idle', since: 0 };
    }

    /** Whether an agent has the keyboard, or a program that says what it does. Other programs only ring, or show how far they are. */
    get isAgent(): boolean {
        return this.foreground?.cli !== undefined || this.program.report !== undefined;
    }

    protected get reviewId(): string | undefined {
        return this.foreground?.isShell ? undefined : this.connected?.reviewId;
    }

    /** The most exact source that says something. */
    protected get report(): AgentReport | undefined {
        const waits: AgentReport | undefined = this.reviewId === undefined ? undefined : { state: 'blocked', kind: 'permission' };
        const isThere: AgentReport | undefined = (this.foreground?.cli ?? this.background) && { state: 'idle', isSilent: true };
        return waits ?? this.program.report ?? this.title.report ?? this.wanted ?? this.progress.report ?? isThere;
    }

    /** A shell at its own prompt waits for nobody: what it rings for is over. */
    protected get wanted(): AgentReport | undefined {
        const { report } = this.attention;
        return report && this.foreground?.isShell ? { ...report, state: 'done' } : report;
    }

    /** A vaguer source is heard no longer than until a more exact one says something. */
    protected takeSequence(payload: string, terminator: string): void {
        const [, code, data] = SEQUENCE.exec(payload) ?? [];
        const marks = this.foreground?.cli?.titleMarks;
        if (code === PROGRAM_STATUS && ProgramStatus.isQuery(data)) {
            this.query ??= terminator;
        } else if (code === PROGRAM_STATUS) {
            // The terminal may echo an answer in the middle of a query: what comes of it is no report.
            if (this.program.take(data)) {
                this.answered.isRead = true;
                this.reportedAt = performance.now();
                this.hasReported = true;
                this.attention.end();
            }
        } else if (marks && TITLES.includes(code)) {
            this.title.take(data, marks);
            this.hasReported ||= this.title.report !== undefined;
            this.attention.end();
        } else if (TITLES.includes(code)) {
            this.topic = this.foreground?.cli && topicOf(data, this.foreground.cli.displayName);
            this.attention.take(code, data);
        } else if (code === NOTIFICATION && this.progress.take(data)) {
            this.reportedAt = performance.now();
            this.attention.end();
        } else if (code !== undefined) {
            this.attention.take(code, data);
        }
    }
}

/** Claude Code names it behind a sign. @returns `undefined` for a title that says nothing else than the program's name */
function topicOf(title: string, name: string): string | undefined {
    const [, topic = ''] = /^[^\p{L}\p{N}\s]+\s+(.+)$/su.exec(title) ?? [];
    return topic === name ? undefined : harmlessText(topic) || undefined;
}
