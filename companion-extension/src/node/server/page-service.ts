// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable, preDestroy } from '@theia/core/shared/inversify';
import {
    CompanionBackend,
    CompanionPage,
    FileFacts,
    FocusAnswer,
    LogLines,
    OpenedLink,
    SeenFile,
    WindowSnapshot,
    WindowState
} from '../../common/companion-protocol';
import { FileAccess } from '../host/file-access';
import { FileInspector } from '../host/file-inspector';
import { PageConnection } from './page-connection';
import { Window } from './window';
import { WindowServers } from './window-servers';
import { WindowStates } from './window-states';

/** The place of files in editors that lie in no root, of every page. */
const OPENED_FILES = 'files outside the workspace';

/** What a page calls about its window. */
@injectable()
export class PageService implements CompanionBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(WindowServers)
    protected readonly servers: WindowServers;
    @inject(WindowStates)
    protected readonly states: WindowStates;
    @inject(FileInspector)
    protected readonly inspector: FileInspector;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    setPage(page: CompanionPage): void {
        this.connection.open(page);
    }

    async hello(window: WindowSnapshot): Promise<WindowState> {
        const snapshot = await this.connection.greet(window);
        return this.servers.hello(this.connection.page, snapshot);
    }

    async focus(sequence: number): Promise<FocusAnswer> {
        const { page, payloads, window } = this.connection;
        const known = payloads.sequence.parse(sequence);
        this.servers.focus(window);
        const told = window.toldFiles;
        const realPaths = await this.follow(window, told);
        // After the file system's answer, in which time the page may have been asked for more.
        const state = this.states.missed(window, page, known);
        const links = told.map((path, index): OpenedLink => ({ path, realPath: realPaths[index] }));
        return { ...(state && { state }), links: links.filter(({ path, realPath }) => path !== realPath) };
    }

    async realPaths(paths: string[]): Promise<Array<string | undefined>> {
        return this.follow(this.connection.window, this.connection.payloads.paths.parse(paths));
    }

    async lookAtFile(uri: string, file?: SeenFile): Promise<FileFacts> {
        const path = FileUri.fsPath(this.connection.payloads.uri.parse(uri));
        return this.inspector.inspect(path, this.connection.payloads.seenFile.parse(file) ?? undefined);
    }

    async readLog(after: number): Promise<LogLines> {
        return this.connection.window.log.after(this.connection.payloads.sequence.parse(after));
    }

    @preDestroy()
    protected disconnect(): void {
        const page = this.connection.close();
        if (page) {
            this.servers.leave(page);
        }
    }

    /** In each place one after the other: a file system that does not answer is asked once. */
    protected async follow(window: Window, paths: readonly string[]): Promise<Array<string | undefined>> {
        const places = paths.map(path => window.rootOf(path) ?? OPENED_FILES);
        const found: Array<string | undefined> = paths.map(() => undefined);
        const followAll = async (place: string): Promise<void> => {
            for (let index = places.indexOf(place); index >= 0; index = places.indexOf(place, index + 1)) {
                found[index] = await this.fileAccess.run(place, () => realpath(paths[index])).catch(() => undefined);
            }
        };
        await Promise.all([...new Set(places)].map(followAll));
        return found;
    }
}
