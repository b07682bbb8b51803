// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { AgentStatus } from '../../common/companion-protocol';
import { programOf } from '../discovery/command-line';
import { SupportedClis } from '../discovery/supported-clis';
import { ProcessScans, SCAN_PERIOD_MS } from '../host/process-scans';
import { ForegroundProgram, ProcessTable, ScannedProcess } from '../host/process-table';
import { ShellObserver, TerminalShell } from '../terminal/shell-observer';
import { PasteMode } from './paste-mode';
import { ProcessTree } from './process-tree';
import { ConnectedAgent, Foreground, ProgramActivity, TerminalAgent } from './terminal-agent';

/** How long after output the program in front is looked up: one that starts or ends writes something. */
const LOOK_DELAY_MS = 150;
/** Between two looks at a terminal whose program writes nothing, such as one that was killed. */
const LOOK_PERIOD_MS = 2_000;
/** How long changes are gathered. */
const GATHER_MS = 100;
/** Programs that a CLI gives its keys to, so that its user edits a prompt, or reads. */
const EDITORS = /^(r?vim?|r?view|nvim|vimdiff|ex|ed|nano|pico|micro|emacs|emacsclient|hx|helix|kak|joe|jed|mcedit|ne|less|more)([.-].*)?$/;

/** An agent, and when it did something last. */
export interface AgentActivity extends ProgramActivity {
    /** For people; empty if it is not known. */
    readonly name: string;
}

/** A connected CLI, by its process. */
export interface AgentConnection extends ConnectedAgent {
    readonly pid: number;
}

/** A new state of the program in a terminal. */
export interface AgentChange {
    /** Process id of the terminal's shell. */
    readonly shell: number;
    /** `undefined` if none is known any more. */
    readonly status: AgentStatus | undefined;
}

interface FollowedTerminal {
    readonly agent: TerminalAgent;
    readonly pastes: PasteMode;
    /** Until the program in front is looked up. */
    looking: NodeJS.Timeout | undefined;
    /** Whether the user wants to know what it does. */
    readonly isOn: () => boolean;
    /** As it was told last. */
    shown: AgentStatus | undefined;
}

/**
 * The programs in all terminals of this backend. It hears what they write as they write it: pages come and go, and what they are shown
 * again after a reload is no news.
 */
@injectable()
export class Agents implements ShellObserver {
    @inject(ProcessTable)
    protected readonly processes: Pick<ProcessTable, 'foregroundOf' | 'foregroundPid' | 'shellOf'>;
    @inject(ProcessScans)
    protected readonly scans: ProcessScans;
    @inject(SupportedClis)
    protected readonly clis: Pick<SupportedClis, 'agentOf'>;

    /** By the process ids of their shells. */
    protected readonly terminals = new Map<number, FollowedTerminal>();
    protected gathering: NodeJS.Timeout | undefined;
    protected connections: readonly AgentConnection[] = [];
    /** Of {@link connections}, by their process ids. */
    protected inTerminals: ReadonlySet<number> = new Set();
    protected tree = new ProcessTree([], () => undefined);
    protected readonly onDidChangeEmitter = new Emitter<readonly AgentChange[]>();
    /** Fires at most ten times in a second, and with the end of a terminal. */
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.scans.onDidScan(processes => this.takeScan(processes));
    }

    /** Throws if the shell could not be started. @param preferences of the shell's window, now */
    follow(shell: TerminalShell, preferences: () => Pick<BackendPreferences, 'companion.agentStatus'>): void {
        const { pid } = shell;
        const isOn = (): boolean => preferences()['companion.agentStatus'];
        const agent = new TerminalAgent(pid, text => shell.write(text));
        const terminal: FollowedTerminal = {
            agent,
            pastes: new PasteMode(),
            looking: undefined,
            shown: undefined,
            isOn
        };
        const output = shell.createOutputStream();
        const period = setInterval(() => terminal.shown && this.lookSoon(terminal), LOOK_PERIOD_MS).unref();
        const toDispose = Disposable.create(() => {
            clearInterval(period);
            clearTimeout(terminal.looking);
            output.dispose();
            this.terminals.delete(pid);
            if (terminal.shown) {
                this.onDidChangeEmitter.fire([{ shell: pid, status: undefined }]);
            }
        });
        this.terminals.set(pid, terminal);
        output.on('data', (text: string) => {
            terminal.pastes.receive(text);
            if (isOn()) {
                agent.receive(text);
                this.gather();
            }
            this.lookSoon(terminal);
            this.scans.scanWithin(LOOK_DELAY_MS);
            agent.answerQuery(() => this.processes.foregroundPid(pid));
        });
        shell.onClose(() => toDispose.dispose());
        shell.onError(() => toDispose.dispose());
    }

    /** Whether a connected CLI is in one of the terminals. @param pid its process id */
    isInTerminal(pid: number): boolean {
        return this.inTerminals.has(pid);
    }

    /** The programs in these terminals. */
    of(shells: ReadonlySet<number>): AgentStatus[] {
        return [...this.terminals.values()].flatMap(({ shown }) => (shown && shells.has(shown.shell) ? shown : []));
    }

    /** Says whether line breaks in a paste are text there. */
    takesPastes(shell: number): boolean {
        return this.terminals.get(shell)?.pastes.isOn ?? false;
    }

    markSeen(shell: number): void {
        this.terminals.get(shell)?.agent.markSeen();
        this.gather();
    }

    /**
     * The agents in these terminals, also those in the background, and when each did something last.
     *
     * @param connected the ids of CLIs that are known otherwise, wherever they run
     */
    activeIn(shells: ReadonlySet<number>, connected: ReadonlySet<string>): AgentActivity[] {
        return [...this.terminals].flatMap(([shell, { agent, shown, isOn }]) => {
            const inFront = agent.isAgent ? shown : undefined;
            // One that has left the front since the last scan is still there.
            const others = this.tree.agentsIn(shell).filter(({ cli, isInFront }) => !(isInFront && inFront) && !connected.has(cli.id));
            const active = [
                ...(inFront ? [{ name: inFront.name ?? '', ...(isOn() ? agent.activity : { activeAt: Infinity }) }] : []),
                ...others.map(({ cli }) => ({ name: cli.displayName, activeAt: Infinity }))
            ];
            return shells.has(shell) ? active : [];
        });
    }

    /** Who has the keyboard of a terminal now. Never rejects. @returns `undefined` if the system does not say */
    async foregroundOf(shell: number): Promise<Foreground | undefined> {
        const program = await this.processes.foregroundOf(shell);
        if (program?.pid === shell) {
            return { pid: shell, isShell: true, cli: undefined };
        }
        return (
            (program && this.agentAmong([program, ...(program.below ?? [])])) ??
            this.tree.inFront(shell, program?.pid) ??
            (program && { pid: program.pid, isShell: false, cli: undefined })
        );
    }

    /** Says which CLIs are connected. Each is found in the terminal whose keyboard it has. */
    async connect(connections: readonly AgentConnection[]): Promise<void> {
        this.connections = connections;
        const shells = new Set(this.terminals.keys());
        const found = new Map<number | undefined, AgentConnection>();
        const inTerminals: number[] = [];
        for (const connection of connections) {
            const shell = await this.processes.shellOf(connection.pid, shells);
            if (this.connections !== connections) {
                // Each review that opens says it again. With twenty of them, these looks would delay the diff of the first.
                return;
            }
            if (shell !== undefined) {
                inTerminals.push(connection.pid);
            }
            const known = found.get(shell);
            // After `/ide enable` a CLI has two sessions.
            found.set(shell, known?.reviewId === undefined ? connection : known);
        }
        this.inTerminals = new Set(inTerminals);
        this.terminals.forEach(({ agent }, shell) => (agent.connected = found.get(shell)));
        this.gather();
    }

    protected agentAmong(programs: readonly ForegroundProgram[]): Foreground | undefined {
        const clis = programs.map(({ command }) => this.clis.agentOf(command));
        const at = clis.findIndex(cli => cli !== undefined);
        const isInEditor = programs.slice(at + 1).some(({ command }) => EDITORS.test(path.basename(programOf(command)[0] ?? '')));
        return at < 0 ? undefined : { pid: programs[at].pid, isShell: false, cli: clis[at], ...(isInEditor && { isInEditor }) };
    }

    protected takeScan(processes: readonly ScannedProcess[]): void {
        this.tree = new ProcessTree(processes, command => this.clis.agentOf(command));
        let isAnyKnown = this.connections.length > 0;
        for (const [shell, terminal] of this.terminals) {
            const agents = this.tree.agentsIn(shell);
            terminal.agent.background = agents.find(({ isInFront, isStopped }) => !isInFront && !isStopped)?.cli;
            isAnyKnown ||= agents.length > 0 || terminal.shown !== undefined;
            void this.look(terminal);
        }
        if (isAnyKnown) {
            this.scans.scanWithin(SCAN_PERIOD_MS);
        }
    }

    protected lookSoon(terminal: FollowedTerminal): void {
        terminal.looking ??= setTimeout(() => void this.look(terminal), LOOK_DELAY_MS).unref();
    }

    protected async look(terminal: FollowedTerminal): Promise<void> {
        const { agent } = terminal;
        clearTimeout(terminal.looking);
        terminal.looking = undefined;
        const askedAt = performance.now();
        const foreground = await this.foregroundOf(agent.shell);
        if (this.isFollowed(terminal)) {
            if (foreground) {
                agent.setForeground(foreground, askedAt);
            }
            this.gather();
        }
    }

    protected isFollowed(terminal: FollowedTerminal): boolean {
        return this.terminals.get(terminal.agent.shell) === terminal;
    }

    protected gather(): void {
        this.gathering ??= setTimeout(() => {
            this.gathering = undefined;
            this.tell();
        }, GATHER_MS).unref();
    }

    protected tell(): void {
        const changes: AgentChange[] = [];
        for (const [shell, terminal] of this.terminals) {
            const status = terminal.isOn() ? terminal.agent.status : terminal.agent.presence;
            if (JSON.stringify(status) !== JSON.stringify(terminal.shown)) {
                changes.push({ shell, status });
            }
            terminal.shown = status;
        }
        if (changes.length > 0) {
            this.onDidChangeEmitter.fire(changes);
        }
    }
}
