// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { ActiveAgent } from 'theia-cli-companion/lib/node';
import { DaemonProblem } from '../../common/daemon-problem';
import { DaemonStatus, QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { DaemonSettings, DaemonTarget } from '../config/daemon-settings';
import { DaemonConnection, defaultConnectionTimings } from '../connection/daemon-connection';
import { DaemonProblemError } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonProcess } from '../process/daemon-process';
import { ChosenModes } from '../session/chosen-modes';
import { defaultStreamTimings } from '../session/session-stream';
import { DaemonWorkspace } from './daemon-workspace';

const MODES = 'qwen-daemon-modes';
const SETTINGS = 'qwen-daemon-settings';

/** As long as the daemon keeps a session of which no client wants to hear. */
const UNUSED_MS = 1_800_000;

/** A page. */
export interface WorkspaceUser {
    /** Real, absolute path of the folder that it trusts and works in. */
    readonly worksIn: string | undefined;
}

/** Every workspace whose daemon somebody asked for. Lives as long as the backend; does nothing before the first request. */
@injectable()
export class DaemonWorkspaces {
    @inject(DaemonSettings)
    protected readonly settings: DaemonSettings;

    @inject(EnvVariablesServer)
    protected readonly environment: EnvVariablesServer;

    @inject(ILogger)
    @named('qwen-daemon:DaemonWorkspaces')
    protected readonly logger: ILogger;

    readonly users = new Set<WorkspaceUser>();
    protected readonly onDidChangeStatusEmitter = new Emitter<void>();
    readonly onDidChangeStatus: Event<void> = this.onDidChangeStatusEmitter.event;

    protected readonly onDidChangeWorkEmitter = new Emitter<void>();
    readonly onDidChangeWork: Event<void> = this.onDidChangeWorkEmitter.event;

    /** A product or a test may have others. */
    protected readonly timings = { connection: defaultConnectionTimings, stream: defaultStreamTimings, unusedMs: UNUSED_MS };

    protected readonly workspaces = new Map<string, DaemonWorkspace>();
    protected readonly redactor = new Redactor();
    protected readonly modes = new ChosenModes(() => this.folder(MODES));
    protected target: string | undefined;
    protected sequence = 0;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.settings.onDidChange(() => void this.reconfigure());
        this.modes.removeOld().catch(error => this.logger.warn('Old files of earlier sessions could not be removed', error));
    }

    /**
     * @param root real, absolute path
     * @throws if the backend stops
     */
    workspace(root: string): DaemonWorkspace {
        const known = this.workspaces.get(root);
        if (known) {
            return known;
        }
        if (this.stopped) {
            throw new DaemonProblemError({ code: 'daemon-lost' });
        }
        const connection = new DaemonConnection(root, {
            target: () => this.resolve(),
            newProcess: command =>
                new DaemonProcess(
                    command,
                    root,
                    this.redactor,
                    () => this.folder(SETTINGS),
                    line => this.logger.debug(line)
                ),
            redactor: this.redactor,
            logger: this.logger,
            timings: this.timings.connection
        });
        connection.onDidChangeStatus(() => this.onDidChangeStatusEmitter.fire());
        const parts = {
            redactor: this.redactor,
            modes: this.modes,
            debug: (message: string) => void this.logger.debug(message),
            stream: this.timings.stream,
            unusedMs: this.timings.unusedMs
        };
        const workspace = new DaemonWorkspace(connection, parts, () => this.endUnused(root));
        workspace.onDidChangeWork(() => this.onDidChangeWorkEmitter.fire());
        this.workspaces.set(root, workspace);
        return workspace;
    }

    /** A page says that the root is not trusted, or it was the last to show a session. If no page works in it, what runs there ends now. */
    endUnused(root: string): void {
        if (![...this.users].some(({ worksIn }) => worksIn === root)) {
            this.end(root);
        }
    }

    /** A page has left the root. It may have been the last one, after all sessions: then nothing else ends what runs there. */
    endUnusedLater(root: string): void {
        const end = (): void => {
            if (this.workspaces.get(root)?.hasSessions === false) {
                this.endUnused(root);
            }
        };
        setTimeout(end, this.timings.unusedMs).unref();
    }

    get isForbidden(): boolean {
        return this.settings.isForbidden;
    }

    isEnabled(): Promise<boolean> {
        return this.settings.isEnabled();
    }

    /** @param root real, absolute path; `undefined` if no folder is open */
    async status(root: string | undefined): Promise<DaemonStatus> {
        const enabled = await this.settings.isEnabled();
        const sequence = ++this.sequence;
        if (!enabled) {
            return { sequence, state: 'off', warnings: [] };
        }
        if (root === undefined) {
            return { sequence, state: 'refused', problem: { code: 'no-workspace' }, warnings: [] };
        }
        const known = this.workspaces.get(root)?.connection.status;
        return known ? { ...known, sequence } : { sequence, state: 'idle', workspaceCwd: root, warnings: [] };
    }

    /** @param roots real, absolute paths. @returns the agents that may change files in one of them */
    agentsIn(roots: readonly string[]): ActiveAgent[] {
        return [...this.workspaces].flatMap(([root, { activeAt }]) =>
            roots.includes(root) && activeAt !== undefined ? { name: QWEN_AGENT_ID, activeAt, isWorking: activeAt === Infinity } : []
        );
    }

    /** Ends the managed daemons before the first `await`: at the end of a process nothing else is certain to run. */
    async stop(): Promise<void> {
        this.stopped = true;
        await Promise.all([...this.workspaces.values()].map(workspace => workspace.dispose()));
        this.workspaces.clear();
    }

    /** Whoever still holds the workspace can start nothing in it any more. */
    protected end(root: string, problem?: DaemonProblem): void {
        const workspace = this.workspaces.get(root);
        this.workspaces.delete(root);
        workspace?.dispose(problem).catch(error => this.logger.warn('A daemon could not be ended', error));
    }

    protected async resolve(): Promise<DaemonTarget> {
        const target = await this.settings.resolve();
        this.target = JSON.stringify(target);
        return target;
    }

    /** A preference changed: disconnects every workspace that is connected to another daemon than the preferences now name. */
    protected async reconfigure(): Promise<void> {
        if (this.target !== undefined) {
            const before = this.target;
            const target = await this.resolve();
            if (this.target !== before) {
                const problem: DaemonProblem = { code: target.kind === 'off' ? 'off' : 'daemon-lost' };
                [...this.workspaces.keys()].forEach(root => this.end(root, problem));
            }
        }
        this.onDidChangeStatusEmitter.fire();
    }

    /** In the IDE's configuration folder. */
    protected async folder(name: string): Promise<string> {
        return path.join(FileUri.fsPath(await this.environment.getConfigDirUri()), name);
    }
}
