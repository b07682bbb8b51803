// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { DaemonClient } from '@qwen-code/sdk/daemon';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { z } from 'zod/v4';
import { DaemonProblem, DaemonWarning } from '../../common/daemon-problem';
import { DaemonState, DaemonStatus, isLoopback } from '../../common/qwen-daemon-protocol';
import { DaemonTarget } from '../config/daemon-settings';
import { DaemonAddress, DaemonProcess } from '../process/daemon-process';
import { DaemonError, DaemonProblemError, problemOf } from './daemon-problems';
import { directFetch } from './direct-fetch';
import { Redactor } from '../config/redactor';

/** In milliseconds. */
export const defaultConnectionTimings = {
    /** How long a daemon may answer that it is starting. */
    ready: 30_000,
    poll: 200,
    request: 30_000,
    /** Waits between attempts after a loss; when they are used up, the daemon is lost. */
    backoff: [100, 300, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]
};

/** In milliseconds: how long a daemon may take to end with this backend, which Theia gives 5 s in all (1.74). */
const SHUTDOWN_MS = 4_000;

/** In milliseconds. A connection that is lost sooner counts as one that never worked. */
const SHORT_LIFE_MS = 30_000;

/** How often the daemon is asked for a session while its agent starts: for about a minute. */
const AGENT_ATTEMPTS = 6;

const capabilities = z.object({
    v: z.literal(1),
    protocolVersions: z.object({ supported: z.array(z.string()) }).optional(),
    qwenCodeVersion: z.string().max(100).optional(),
    mode: z.string(),
    features: z.array(z.string()),
    workspaceCwd: z.string().optional(),
    workspaces: z.array(z.object({ cwd: z.string() })).optional()
});

/** What this extension builds on; a daemon without one of them would fail in the middle of a chat. */
const REQUIRED_FEATURES = [
    'session_create',
    'session_scope_override',
    'session_load',
    'session_source_metadata',
    'session_events',
    'non_blocking_prompt',
    'session_permission_vote',
    'session_set_model',
    'session_approval_mode_control',
    'typed_event_schema'
];

/** A live connection: the client, and what the daemon said. A new one is made after every loss. */
export interface ConnectedDaemon {
    client: DaemonClient;
    /** As the daemon spells it. */
    workspaceCwd: string;
    version: string | undefined;
}

export interface ConnectionParts {
    target(): Promise<DaemonTarget>;
    newProcess(command: string): DaemonProcess;
    redactor: Redactor;
    logger: Pick<ILogger, 'info' | 'warn' | 'debug'>;
    timings: typeof defaultConnectionTimings;
}

/** The daemon of one workspace: which one, how it is reached, and in what state that is. Nothing happens before {@link connect}. */
export class DaemonConnection {
    protected readonly onDidChangeStatusEmitter = new Emitter<void>();
    readonly onDidChangeStatus: Event<void> = this.onDidChangeStatusEmitter.event;

    /** What a page may know of it. */
    status: Omit<DaemonStatus, 'sequence'>;
    protected connected: ConnectedDaemon | undefined;
    protected attempt: Promise<ConnectedDaemon> | undefined;
    protected connectedAt = -Infinity;
    /** Connections in a row that were lost soon. A daemon that always ends at once is not started for ever. */
    protected shortLives = 0;
    protected process: DaemonProcess | undefined;
    /** Why it was disposed. Results that come later are dropped. */
    protected gone: DaemonProblem | undefined;

    /** @param workspace real, absolute path */
    constructor(
        readonly workspace: string,
        protected readonly parts: ConnectionParts
    ) {
        this.status = { state: 'idle', workspaceCwd: workspace, warnings: [] };
    }

    /** Connects if there is no connection; also waits for a reconnection under way. Rejects with a {@link DaemonProblemError}. */
    connect(): Promise<ConnectedDaemon> {
        if (this.gone) {
            return Promise.reject(new DaemonProblemError(this.gone));
        }
        if (this.connected && !this.attempt) {
            return Promise.resolve(this.connected);
        }
        if (!this.attempt) {
            this.shortLives = 0;
            this.attempt = this.run([0], false);
        }
        return this.attempt;
    }

    /** Like {@link connect}, but also checks an existing connection. For a user who asks to connect. */
    connectNow(): Promise<ConnectedDaemon> {
        if (this.connected) {
            this.reportFailure(this.connected);
        }
        return this.connect();
    }

    /** A request or stream got no answer, or the daemon refused its token. Checks whether the daemon is there, and else tries to get it back. */
    reportFailure(daemon: ConnectedDaemon): void {
        if (this.connected === daemon && !this.attempt) {
            this.attempt = this.verify(daemon);
            this.attempt.catch(() => undefined);
        }
    }

    /** Ends a managed daemon, and leaves an external daemon alone. */
    async dispose(problem: DaemonProblem = { code: 'daemon-lost' }): Promise<void> {
        this.gone = problem;
        this.onDidChangeStatusEmitter.dispose();
        await this.process?.stop(SHUTDOWN_MS);
    }

    protected async verify(daemon: ConnectedDaemon): Promise<ConnectedDaemon> {
        const usable = await this.isUsable(daemon);
        this.checkWanted();
        if (usable) {
            this.attempt = undefined;
            return daemon;
        }
        this.connected = undefined;
        return this.regain();
    }

    /** An external daemon may have been started again with another token, in another folder, or be another one. */
    protected async isUsable(daemon: ConnectedDaemon): Promise<boolean> {
        const isManaged = this.status.kind === 'managed';
        try {
            const answer = await daemon.client.capabilities();
            const now = await this.check(answer).catch(() => undefined);
            // Another one may have taken its port.
            const isTheSame = now?.workspaceCwd === daemon.workspaceCwd && now.version === daemon.version;
            return isTheSame && (!isManaged || this.process !== undefined);
        } catch (error) {
            // A managed daemon that answers is ours, whatever it answers. Starting another one would end its turns.
            return isManaged && !DaemonError.isNetwork(error);
        }
    }

    /** Waits longer each time that the connection was lost soon, and gives up at last. */
    protected regain(): Promise<ConnectedDaemon> {
        this.shortLives = performance.now() - this.connectedAt < SHORT_LIFE_MS ? this.shortLives + 1 : 0;
        return this.run(this.parts.timings.backoff.slice(Math.max(0, this.shortLives - 1)), true);
    }

    /** @param waits milliseconds before each attempt */
    protected async run(waits: readonly number[], again: boolean): Promise<ConnectedDaemon> {
        let problem: DaemonProblem = { code: 'daemon-lost' };
        for (const wait of waits) {
            this.change(again ? { state: 'reconnecting' } : { state: 'connecting', problem: undefined });
            await new Promise(resolve => setTimeout(resolve, wait));
            try {
                const daemon = await this.establish();
                this.checkWanted();
                this.connected = daemon;
                this.connectedAt = performance.now();
                this.attempt = undefined;
                this.change({ state: 'connected', problem: undefined });
                return daemon;
            } catch (error) {
                this.checkWanted();
                problem = problemOf(error);
                const status = DaemonError.status(error) ?? 0;
                // Waiting does not help with any other problem.
                if (!['not-running', 'start-failed', 'no-answer'].includes(problem.code) && status !== 429 && status < 500) {
                    return this.giveUp('refused', problem);
                }
                this.parts.logger.debug(`No connection: ${problem.code}`);
            }
        }
        return this.giveUp(again ? 'lost' : 'refused', again && problem.code !== 'start-failed' ? { code: 'daemon-lost' } : problem);
    }

    protected giveUp(state: DaemonState, problem: DaemonProblem): never {
        this.attempt = undefined;
        this.change({ state, problem });
        throw new DaemonProblemError(problem);
    }

    protected async establish(): Promise<ConnectedDaemon> {
        const target = await this.parts.target();
        this.checkWanted();
        if (target.kind === 'off' || target.kind === 'refused') {
            throw new DaemonProblemError(target.kind === 'off' ? { code: 'off' } : target.problem);
        }
        this.change({ kind: target.kind });
        return target.kind === 'external' ? this.greet(target) : this.start(target.command);
    }

    protected async greet(address: DaemonAddress): Promise<ConnectedDaemon> {
        this.change({ host: address.host });
        if (address.token) {
            this.parts.redactor.add(address.token);
        }
        const { protocol, hostname } = new URL(address.url);
        const client = new DaemonClient({
            baseUrl: address.url,
            token: address.token,
            fetchTimeoutMs: this.parts.timings.request,
            // A daemon elsewhere may be behind a proxy.
            fetch: protocol === 'http:' && isLoopback(hostname) ? directFetch : undefined
        });
        const checked = await this.check(await this.capabilities(client, address));
        this.checkWanted();
        const warnings: DaemonWarning[] = [
            // It answered without a token. Its features name a token only with --require-auth (Qwen Code 0.24).
            ...(address.token === undefined ? ['open-daemon' as const] : []),
            ...(protocol === 'http:' && !isLoopback(hostname) ? ['unencrypted' as const] : [])
        ];
        this.change({ ...checked, warnings });
        return { client, ...checked };
    }

    /** Whether it is a daemon that can be used, and for this workspace. */
    protected async check(answer: unknown): Promise<Omit<ConnectedDaemon, 'client'>> {
        const {
            protocolVersions,
            mode,
            features = [],
            workspaceCwd,
            workspaces = [],
            qwenCodeVersion
        } = capabilities.safeParse(answer).data ?? {};
        const isServe = mode === 'http-bridge' && (protocolVersions === undefined || protocolVersions.supported.includes('v1'));
        const missing = isServe ? REQUIRED_FEATURES.filter(feature => !features.includes(feature)) : ['http-bridge v1'];
        if (missing.length > 0) {
            throw new DaemonProblemError({ code: 'incompatible', version: qwenCodeVersion, missing });
        }
        const offered = [...new Set([workspaceCwd, ...workspaces.map(({ cwd }) => cwd)].flatMap(cwd => cwd ?? []))];
        for (const cwd of offered) {
            if (cwd === this.workspace || (await fs.realpath(cwd).catch(() => undefined)) === this.workspace) {
                return { workspaceCwd: cwd, version: qwenCodeVersion };
            }
        }
        throw new DaemonProblemError({ code: 'workspace-mismatch', requested: this.workspace, offered });
    }

    /** That it listens does not mean that it is ready: it answers 503 for about a second (Qwen Code 0.24). */
    protected async capabilities(client: DaemonClient, { host }: DaemonAddress): Promise<unknown> {
        const { ready, poll } = this.parts.timings;
        for (const end = performance.now() + ready; ;) {
            try {
                return await client.capabilities();
            } catch (error) {
                if (DaemonError.status(error) === 401) {
                    throw new DaemonProblemError({ code: 'wrong-token' });
                }
                if (DaemonError.isNetwork(error)) {
                    throw new DaemonProblemError({ code: 'not-running', host });
                }
                if (!DaemonError.isStarting(error)) {
                    throw error;
                }
                if (performance.now() > end) {
                    throw new DaemonProblemError({ code: 'not-running', host });
                }
                await new Promise(resolve => setTimeout(resolve, poll));
                this.checkWanted();
                this.showStarting();
            }
        }
    }

    protected async start(command: string): Promise<ConnectedDaemon> {
        await this.process?.stop();
        this.checkWanted();
        const process = this.parts.newProcess(command);
        this.process = process;
        this.showStarting();
        const address = await process.start().catch(error => {
            this.process = this.process === process ? undefined : this.process;
            throw new DaemonProblemError({ code: 'start-failed', cause: (error as Error).message });
        });
        this.checkWanted();
        void process.ended.then(end => this.handleProcessEnd(process, end));
        try {
            return await this.greet(address);
        } catch (error) {
            this.checkWanted();
            const end = await process.endedSoon();
            // It may be too old to be used: nobody would ever end it.
            void process.stop();
            throw end === undefined ? error : new DaemonProblemError({ code: 'start-failed', cause: end });
        }
    }

    protected showStarting(): void {
        this.change({ state: this.status.state === 'reconnecting' ? 'reconnecting' : 'starting', problem: undefined });
    }

    protected handleProcessEnd(process: DaemonProcess, end: string): void {
        if (this.process === process && !this.gone) {
            this.process = undefined;
            this.parts.logger.warn(`The daemon ended: ${end}`);
            if (this.connected && !this.attempt) {
                this.connected = undefined;
                this.attempt = this.regain();
                this.attempt.catch(() => undefined);
            }
        }
    }

    /** What was asked for is not wanted any more: it must start nothing. Throws why. */
    checkWanted(): void {
        if (this.gone) {
            throw new DaemonProblemError(this.gone);
        }
    }

    protected change(changes: Partial<DaemonStatus>): void {
        this.status = { ...this.status, ...changes };
        this.onDidChangeStatusEmitter.fire();
    }
}

/**
 * Makes or loads a session. With the first session of a workspace the daemon starts an agent process and gives it ten seconds. On a busy
 * machine it answers `init_timeout` and has made nothing; a second request then succeeds (Qwen Code 0.24).
 */
export async function withSlowAgent<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
        try {
            return await call();
        } catch (error) {
            if (attempt >= AGENT_ATTEMPTS || DaemonError.code(error) !== 'init_timeout') {
                throw error;
            }
        }
    }
}
