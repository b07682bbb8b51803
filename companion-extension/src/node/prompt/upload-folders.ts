// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { Agents } from '../agents/agents';
import { ProcessMarker, ProcessMarkers } from '../discovery/process-marker';
import { FolderLocation, SecureFolder } from '../discovery/secure-folder';
import { CliSurroundings, OWN_TMPDIR, SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { HostEnvironment } from '../host/host-environment';
import { ProcessTable } from '../host/process-table';

const LONGEST_LIFE_MS = 24 * 60 * 60 * 1000;
const IDLE_PERIOD_MS = 60 * 60 * 1000;
/** How long one may take to remove: twenty files of 20 MiB, on a slow disk. */
const REMOVE_LIMIT_MS = 30_000;
/** Short: the user sees it in the prompt. */
const NAME_BYTES = 6;
const NAME = /^[0-9a-f]{12}$/;

/** Folders for what a user gives to a CLI: outside the workspace, for nobody else, and gone with that CLI, or after a day. */
@injectable()
export class UploadFolders implements BackendApplicationContribution {
    @inject(Agents)
    protected readonly agents: Pick<Agents, 'foregroundOf'>;
    @inject(ProcessTable)
    protected readonly processes: Pick<ProcessTable, 'details'>;
    @inject(ProcessMarkers)
    protected readonly markers: Pick<ProcessMarkers, 'markerOf' | 'isAlive'>;
    @inject(SupportedClis)
    protected readonly clis: Pick<SupportedClis, 'all' | 'get'>;
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;
    @inject(ILogger)
    @named('companion:UploadFolders')
    protected readonly logger: ILogger;

    protected readonly periodMs: number = 30_000;
    /** The CLIs' processes, by the folders of this backend. */
    protected readonly owners = new Map<string, ProcessMarker>();
    protected timer: NodeJS.Timeout | undefined;

    /** A backend that was killed may have left some. The start does not wait for it. */
    initialize(): void {
        void this.removeEnded();
    }

    async onStop(): Promise<void> {
        clearTimeout(this.timer);
        await Promise.all([...this.owners.keys()].map(folder => this.remove(folder)));
    }

    /** @returns `undefined` if no known CLI has the keyboard of the shell's terminal. Rejects if it cannot be made */
    async make(shell: number): Promise<string | undefined> {
        const program = await this.agents.foregroundOf(shell);
        const terminal = program?.cli && (await this.processes.details(program.pid));
        if (!terminal) {
            return undefined;
        }
        const { base, below, ...rest } = await this.locationFor(this.clis.get(program.cli.id), terminal);
        const location = { base, below: [...below, randomBytes(NAME_BYTES).toString('hex')], ...rest };
        const folder = await this.fileAccess.run(base, () => new SecureFolder(location, this.host, this.logger).make());
        this.owners.set(folder, this.markers.markerOf(program.pid));
        this.lookLater(this.periodMs);
        return folder;
    }

    protected lookLater(ms: number): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.removeEnded(), ms).unref();
    }

    protected async removeEnded(): Promise<void> {
        const ended = [...this.owners].filter(([, owner]) => !this.markers.isAlive(owner));
        for (const [folder] of ended) {
            await this.remove(folder);
        }
        await this.removeOld();
        // Also what a backend that was killed has left, once it is a day old.
        this.lookLater(this.owners.size > 0 ? this.periodMs : IDLE_PERIOD_MS);
    }

    /** Whoever made them: other backends of the user have the same places. */
    protected async removeOld(): Promise<void> {
        const here: CliSurroundings = { variables: this.host.variables, folder: this.host.homeFolder, command: [] };
        for (const cli of [undefined, ...this.clis.all]) {
            const place = await this.locationFor(cli, here).catch(() => undefined);
            if (place) {
                await this.fileAccess.run(place.base, () => this.removeOldIn(place), REMOVE_LIMIT_MS).catch(() => undefined);
            }
        }
    }

    protected async removeOldIn(place: FolderLocation): Promise<void> {
        const parent = new SecureFolder(place, this.host);
        if (await parent.findFault()) {
            return;
        }
        for (const name of (await fs.readdir(parent.path)).filter(entry => NAME.test(entry))) {
            const folder = path.join(parent.path, name);
            if (Date.now() - (await fs.stat(folder)).mtimeMs > LONGEST_LIFE_MS) {
                await fs.rm(folder, { recursive: true, force: true });
                this.owners.delete(folder);
            }
        }
    }

    /** What cannot be removed is tried again. */
    protected async remove(folder: string): Promise<void> {
        const removing = this.fileAccess.run(path.dirname(folder), () => fs.rm(folder, { recursive: true, force: true }), REMOVE_LIMIT_MS);
        await removing.then(
            () => this.owners.delete(folder),
            () => undefined
        );
    }

    protected async locationFor(cli: SupportedCli | undefined, terminal: CliSurroundings): Promise<FolderLocation> {
        const { temporaryFolder, uid = '' } = this.host;
        const own = cli?.uploadFolder && (await this.fileAccess.run(cli.readFolder ?? cli.id, async () => cli.uploadFolder?.(terminal)));
        if (own) {
            return own;
        }
        // Each user has one: in the temporary folder of all, the first one would keep the others out.
        return { base: temporaryFolder, below: [`theia-cli-companion-${uid}`], symlinks: 'refuse', elsewhere: () => OWN_TMPDIR };
    }
}
