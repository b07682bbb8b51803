// SPDX-License-Identifier: Apache-2.0

import { addEventListener, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { AgentState, AgentStatus } from '../../common/companion-protocol';
import { AgentsBackend } from '../../common/agents-protocol';
import { SystemClock } from '../../common/clock';
import { CompanionConnection } from '../window/companion-connection';
import { TerminalActivity } from './terminal-activity';
import { WaitingAgent, WaitingAgentContribution } from './waiting-agent-contribution';

const CALL_LIMIT_MS = 10_000;
/** What is news until somebody looks. */
const NEWS: readonly AgentState[] = ['blocked', 'done', 'error'];

/** What a program does, with what this page has seen of it. @since 0.1 */
export interface PageAgentStatus extends AgentStatus {
    /** It does not say what it does, has worked, and has written nothing since. */
    readonly isQuiet?: true;
}

/** A program in a terminal of this page. @since 0.1 */
export interface PageAgent {
    readonly status: PageAgentStatus;
    readonly widget: TerminalWidget;
}

/**
 * The programs in the terminals of this page. A terminal is its shell's process: the ids of tabs belong to other shells after a reload.
 *
 * Promised: `all`, `waiting`, `statusOf`, `reveal` and `onDidChange`.
 * @since 0.1
 */
@injectable()
export class PageAgents implements FrontendApplicationContribution {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(AgentsBackend)
    protected readonly backend: Pick<AgentsBackend, 'watchTerminals' | 'markAgentSeen'>;

    @inject(ContributionProvider)
    @named(WaitingAgentContribution)
    protected readonly contributions: ContributionProvider<WaitingAgentContribution>;

    /** The process ids of the shells. */
    protected readonly shells = new Map<TerminalWidget, number>();
    protected readonly activities = new Map<TerminalWidget, TerminalActivity>();
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected shown = '[]';
    protected readonly toDispose = new DisposableCollection(this.onDidChangeEmitter);

    onStart(): void {
        const seen = (): void => this.markSeen();
        window.addEventListener('focus', seen);
        this.toDispose.pushAll([
            this.terminals.onDidCreateTerminal(widget => this.add(widget)),
            this.connection.onDidHello(() => {
                this.watch();
                this.markSeen();
            }),
            this.connection.onDidChangeState(() => this.update()),
            Disposable.create(() => window.removeEventListener('focus', seen)),
            ...this.contributions.getContributions().flatMap(({ onDidChange }) => onDidChange?.(() => this.onDidChangeEmitter.fire()) ?? [])
        ]);
        this.terminals.all.forEach(widget => this.add(widget));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    get all(): PageAgent[] {
        const agents = this.connection.state?.agents ?? [];
        return [...this.shells].flatMap(([widget, shell]) => {
            const status = agents.find(agent => agent.shell === shell);
            return status ? [{ status: this.withQuiet(status, widget), widget }] : [];
        });
    }

    /** Of one that reports, or whose title tells, its output says nothing more. */
    protected withQuiet(status: AgentStatus, widget: TerminalWidget): PageAgentStatus {
        const since = status.isSilent && this.activities.get(widget)?.quietSince;
        return since ? { ...status, isQuiet: true, since } : status;
    }

    /** Those outside terminals, too. The one that waits for longest first. */
    get waiting(): WaitingAgent[] {
        const inTerminals = this.all
            .filter(({ status }) => status.state === 'blocked')
            .map(({ status, widget }) => ({ id: String(status.shell), status, widget, reveal: () => this.reveal(status) }));
        const others = this.contributions.getContributions().flatMap(contribution => contribution.waitingAgents() ?? []);
        return [...inTerminals, ...others].sort((one, other) => one.status.since - other.status.since);
    }

    statusOf(widget: TerminalWidget): PageAgentStatus | undefined {
        return this.all.find(agent => agent.widget === widget)?.status;
    }

    async reveal({ shell }: AgentStatus): Promise<void> {
        const [widget] = [...this.shells].find(([, its]) => its === shell) ?? [];
        if (widget) {
            await this.terminals.open(widget, { mode: 'activate' });
        }
    }

    protected add(widget: TerminalWidget): void {
        const activity = new TerminalActivity(new SystemClock(), () => this.update());
        this.activities.set(widget, activity);
        const listening = new DisposableCollection(
            Disposable.create(() => this.activities.delete(widget) && activity.end()),
            widget.onOutput(text => activity.takeOutput(text)),
            widget.onKey(() => activity.takeKey()),
            // Also after a lost connection, where it may be another shell.
            widget.onDidOpen(() => void this.follow(widget)),
            widget.onDidChangeVisibility(() => this.markSeen()),
            // In a window of its own, too.
            addEventListener(widget.node, 'focusin', () => this.markSeen())
        );
        widget.disposed.connect(() => {
            listening.dispose();
            this.shells.delete(widget);
            this.watch();
            this.update();
        });
        void this.follow(widget);
    }

    protected async follow(widget: TerminalWidget): Promise<void> {
        const shell = await widget.processId.catch(() => undefined);
        if (shell !== undefined && shell > 0 && !widget.isDisposed) {
            this.shells.set(widget, shell);
            this.watch();
            this.update();
        }
    }

    protected watch(): void {
        if (this.connection.greeted && !this.toDispose.disposed) {
            const shells = [...this.shells.values()];
            void this.connection.ask(() => this.backend.watchTerminals(shells), CALL_LIMIT_MS).catch(() => undefined);
        }
    }

    protected update(): void {
        const shown = JSON.stringify(this.all.map(({ status }) => status));
        if (shown !== this.shown) {
            this.shown = shown;
            this.markSeen();
            this.onDidChangeEmitter.fire();
        }
    }

    /** A terminal that is on the screen of a window in use is looked at. */
    protected markSeen(): void {
        for (const { status, widget } of this.all) {
            if (widget.isVisible && widget.node.ownerDocument.hasFocus() && NEWS.includes(status.state)) {
                void this.backend.markAgentSeen(status.shell).catch(() => undefined);
            }
        }
    }
}
