// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { ProcessMarkers } from 'theia-cli-companion/lib/node';
import { DaemonProblem } from '../../common/daemon-problem';
import { DaemonStatus } from '../../common/daemon-status';
import { DaemonSettings, DaemonTarget } from '../config/daemon-settings';
import { DaemonConnection, defaultConnectionTimings } from '../connection/daemon-connection';
import { DaemonProblemError } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonInstances } from '../process/daemon-instances';
import { DaemonProcess } from '../process/daemon-process';
import { ChosenModes } from '../session/chosen-modes';
import { defaultStreamTimings } from '../session/session-stream';
import { removeOlder, UndoCopy } from '../session/undo-copies';
import { DaemonWorkspace } from './daemon-workspace';
import { Users } from './users';

/** In milliseconds. A daemon that no page uses is kept for so long. */
const RELEASE = 10 * 60_000;

const MODES = 'qwen-daemon-modes';
const COPIES = 'qwen-daemon-undo';
const DAY = 24 * 3_600_000;
/** In milliseconds: how long files of sessions are kept that nobody uses. The daemon does not say which sessions it still has. */
const KEPT = { [MODES]: 365 * DAY, [COPIES]: 14 * DAY };

/** Every workspace whose daemon somebody asked for. Lives as long as the backend; does nothing before the first request. */
@injectable()
export class DaemonWorkspaces {
    @inject(DaemonSettings)
    protected readonly settings: DaemonSettings;

    @inject(EnvVariablesServer)
    protected readonly environment: EnvVariablesServer;

    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    @inject(ILogger)
    @named('qwen-daemon:DaemonWorkspaces')
    protected readonly logger: ILogger;

    protected readonly onDidChangeStatusEmitter = new Emitter<void>();
    readonly onDidChangeStatus: Event<void> = this.onDidChangeStatusEmitter.event;

    /** Timings of connections, streams and release; a product or a test may have others. */
    protected readonly timings = { connection: defaultConnectionTimings, stream: defaultStreamTimings, release: RELEASE };

    protected readonly workspaces = new Map<string, DaemonWorkspace>();
    protected readonly redactor = new Redactor();
    protected readonly modes = new ChosenModes(() => this.folder(MODES));
    protected readonly users = new Users(
        () => this.timings.release,
        root => this.release(root)
    );
    protected target: string | undefined;
    protected instances: Promise<DaemonInstances> | undefined;
    protected sequence = 0;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.settings.onDidChange(() => void this.reconfigure());
        for (const [name, age] of Object.entries(KEPT)) {
            this.folder(name)
                .then(folder => removeOlder(folder, age))
                .catch(error => this.logger.warn('Old files of earlier sessions could not be removed', error));
        }
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
            throw new DaemonProblemError({ code: 'stopping' });
        }
        const connection = new DaemonConnection(root, {
            target: () => this.resolve(),
            newProcess: async command => {
                const instances = await this.allInstances();
                return new DaemonProcess(command, root, instances, this.redactor, line => this.logger.debug(line));
            },
            redactor: this.redactor,
            logger: this.logger,
            timings: this.timings.connection
        });
        connection.onDidChangeStatus(() => this.onDidChangeStatusEmitter.fire());
        const workspace = new DaemonWorkspace(connection, {
            redactor: this.redactor,
            modes: this.modes,
            newCopy: () => new UndoCopy(() => this.folder(COPIES)),
            debug: message => void this.logger.debug(message),
            stream: this.timings.stream
        });
        this.workspaces.set(root, workspace);
        return workspace;
    }

    /**
     * A page that trusts the root works in it until the result is disposed. The daemon of a root without pages is let go after a while. A managed
     * daemon then ends; its sessions stay on its disk.
     */
    enter(root: string): Disposable {
        return this.users.enter(root);
    }

    /** A page says that the root is not trusted. If no other page works in it, what runs there ends now. */
    distrust(root: string): void {
        if (!this.users.has(root)) {
            this.end(root);
        }
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
        // Orphans end now: perhaps nobody asks this backend for a daemon.
        this.allInstances().catch(error => this.logger.debug('Daemons of a killed backend could not be looked for', error));
        if (root === undefined) {
            return { sequence, state: 'refused', problem: { code: 'no-workspace' }, warnings: [] };
        }
        const known = this.workspaces.get(root)?.connection.status;
        return known ? { ...known, sequence } : { sequence, state: 'idle', workspaceCwd: root, warnings: [] };
    }

    /** Ends the managed daemons without waiting: at the end of a process nothing else is certain to run. */
    terminateSync(): void {
        this.stopped = true;
        this.workspaces.forEach(({ connection }) => connection.terminateSync());
    }

    async stop(): Promise<void> {
        this.stopped = true;
        this.users.dispose();
        await Promise.all([...this.workspaces.values()].map(workspace => workspace.dispose()));
        this.workspaces.clear();
    }

    /** @returns whether it is gone */
    protected release(root: string): boolean {
        if (this.workspaces.get(root)?.isBusy) {
            return false;
        }
        this.end(root);
        return true;
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
                const problem = { code: target.kind === 'off' ? ('off' as const) : ('other-daemon' as const) };
                [...this.workspaces.keys()].forEach(root => this.end(root, problem));
            }
        }
        this.onDidChangeStatusEmitter.fire();
    }

    /** Prepared once. If that fails, for example because the disk is full, the next start tries again. */
    protected allInstances(): Promise<DaemonInstances> {
        this.instances ??= this.prepareInstances().catch(error => {
            this.instances = undefined;
            throw error;
        });
        return this.instances;
    }

    protected async prepareInstances(): Promise<DaemonInstances> {
        const instances = new DaemonInstances(await this.folder('qwen-daemon'), this.markers);
        const reaped = await instances.reapOrphans();
        if (reaped.length > 0) {
            this.logger.info(`Ended ${reaped.length} daemon(s) that a killed backend had left`);
        }
        return instances;
    }

    /** In the IDE's configuration folder. */
    protected async folder(name: string): Promise<string> {
        return path.join(FileUri.fsPath(await this.environment.getConfigDirUri()), name);
    }
}
