// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { visibleText } from '../../common/visible-text';
import { ClaudeServer } from './claude-server';
import { isFor } from '../discovery/discovery-files';
import { SecureFolder } from '../discovery/secure-folder';
import { ServerPlace, SupportedCli } from '../discovery/supported-cli';
import { isInside } from '../host/paths';
import type { SessionWindow } from '../server/cli-session';
import { RefusalLog } from '../http/refusal-log';
import { SharedServer } from '../server/shared-server';
import { SERVER_INFO } from '../server/cli-server';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';

/** The windows as CLIs see them that speak Claude Code's protocol. */
@injectable()
export class ClaudeWindows extends SharedServer<string, ClaudeServer> implements WindowFeature {
    @inject(ILogger)
    @named('companion:ClaudeWindows')
    protected readonly logger: ILogger;

    protected readonly source = 'server of Claude Code';
    readonly onDidChange = Event.None;

    @postConstruct()
    protected init(): void {
        this.windows.onDidRemove(({ id }) => void this.lookForOtherIdes({ id, folders: [] }));
    }

    /** What it finds is a problem of the window. */
    stateOf(): WindowStatePart {
        return {};
    }

    lookFor(window: Window): void {
        void this.lookForOtherIdes(window);
    }

    /**
     * Says in a window's status which other IDE keeps the CLIs from connecting by themselves. Never rejects, and ends soon even if a file
     * system does not answer.
     */
    protected async lookForOtherIdes({ id, folders }: { readonly id: string; readonly folders: readonly string[] }): Promise<void> {
        const { homeFolder } = this.host;
        // A window that is gone has no folders. Its report goes, whether the file system answers or not.
        const problems =
            folders.length === 0 ? [] : await this.fileAccess.run(homeFolder, () => this.otherIdes(folders)).catch(() => undefined);
        if (problems) {
            this.problems.report(`other IDEs of ${id}`, problems, id);
        }
    }

    /** Its port, and the folders by which its CLIs find it. */
    get server(): ServerPlace | undefined {
        return this.listening;
    }

    protected get served(): readonly SupportedCli[] {
        return this.clis.all.filter(({ clientName }) => clientName !== undefined);
    }

    protected openFolders(): string[] {
        return [...new Set(this.windows.open().flatMap(window => window.folders))];
    }

    /** For the first of these CLIs: all have one lock. */
    protected async otherIdes(folders: readonly string[]): Promise<CompanionProblem[]> {
        if (!this.listening) {
            return [];
        }
        const { port } = this.listening;
        const [cli] = this.served;
        const patterns = (await cli?.staleFilePatterns()) ?? [];
        const locks = patterns.map(({ folder, name }) =>
            this.files.find(new SecureFolder(folder, this.host).path, file => name.test(file))
        );
        const others = (await Promise.all(locks)).flat().filter(file => file.port !== port && folders.some(folder => isFor(file, folder)));
        return others.map(({ ideName, path: file }) => ({
            code: 'other-ide',
            cliName: cli?.displayName ?? '',
            ide: visibleText(ideName),
            file
        }));
    }

    /**
     * The server of the window that a process runs in: as its terminal says, unless only other windows have its folder (`cd ../other && claude`,
     * or a tmux server that another window's terminal began); else of the window with its folder that had the focus last. If neither is known,
     * of any window if all have the same roots; else of none, since the process might belong to another project.
     */
    protected windowOf(port: number | undefined, folder: string | undefined): SessionWindow | undefined {
        const open = this.windows.open();
        const own = open.find(({ server }) => server?.port === port);
        const withFolder = open.filter(({ folders }) => folder !== undefined && folders.some(root => isInside(root, folder)));
        if (own && (withFolder.length === 0 || withFolder.includes(own))) {
            return own;
        }
        const isAnyOfOne = folder === undefined && open.every(({ roots }) => open[0].hasRoots(roots));
        return this.lastOf(isAnyOfOne ? open : withFolder);
    }

    protected start(): Promise<ClaudeServer> {
        return ClaudeServer.start({
            clis: this.served,
            ofProcess: command => this.clis.ofProcess(command),
            isForbidden: (name, command) => this.clis.isForbidden(name, command),
            serverInfo: SERVER_INFO,
            files: this.files,
            processes: this.processes,
            windowOf: (port, folder) => this.windowOf(port, folder),
            budget: this.budget,
            refusals: new RefusalLog(this.logger)
        });
    }
}
