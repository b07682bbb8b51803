// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable, preDestroy } from '@theia/core/shared/inversify';
import { Baseline, ChangedFile, ChangeLines, ChangeList, TextAfterUndo, UndoResult } from '../common/changes/changes-protocol';
import { Fault } from '../common/companion-problem';
import {
    CliTerminal,
    CommandSearch,
    CompanionBackend,
    CompanionPage,
    ContextSnapshot,
    FileFacts,
    FocusAnswer,
    LogLines,
    Mention,
    OpenedLink,
    ReviewAnswer,
    ReviewContent,
    ReviewSave,
    SeenFile,
    ShownText,
    ToldContext,
    WindowSnapshot,
    WindowState
} from '../common/companion-protocol';
import { Diagnosis } from '../common/diagnosis';
import { Agents } from './agents/agents';
import { Changes } from './changes/changes';
import type { UndoneResult } from './changes/folder-undo';
import { SupportedClis } from './discovery/supported-clis';
import { Doctor } from './doctor/doctor';
import { DoctorWindows } from './doctor/doctor-windows';
import { FileAccess } from './host/file-access';
import { isInside } from './host/paths';
import { ProcessTable } from './host/process-table';
import { CliCommands } from './prompt/cli-commands';
import { UploadFolders } from './prompt/upload-folders';
import { ConnectedPage } from './server/connected-page';
import type { PagePayloads } from '../common/page-payloads';
import { ReviewRouting } from './server/review-routing';
import { Window } from './server/window';
import { WindowServers } from './server/window-servers';
import { WindowStates } from './server/window-states';
import { Windows } from './server/windows';

/** The place of files in editors that lie in no root, of every page. */
const OPENED_FILES = 'files outside the workspace';

/**
 * What one page calls, on one connection: checks what the page sends and hands it on. Holds no state worth keeping, since Theia
 * destroys it with every reload and, by default, with every drop of the socket.
 */
@injectable()
export class PageApi implements CompanionBackend {
    @inject(WindowServers)
    protected readonly servers: WindowServers;

    @inject(WindowStates)
    protected readonly states: WindowStates;

    @inject(Windows)
    protected readonly windows: Windows;

    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(Doctor)
    protected readonly doctor: Doctor;
    @inject(DoctorWindows)
    protected readonly doctorWindows: DoctorWindows;
    @inject(CliCommands)
    protected readonly commands: CliCommands;

    @inject(Agents)
    protected readonly agents: Agents;
    @inject(Changes)
    protected readonly changes: Changes;
    @inject(UploadFolders)
    protected readonly uploads: UploadFolders;
    @inject(FileAccess)
    protected readonly tasks: FileAccess;

    protected page: CompanionPage | undefined;
    /** The schemas of calls. Loaded with the first hello, before which every other call is refused. */
    protected payloads: typeof PagePayloads;
    protected connected: ConnectedPage | undefined;

    setPage(page: CompanionPage): void {
        this.page = page;
    }

    async hello(window: WindowSnapshot): Promise<WindowState> {
        this.payloads = await ConnectedPage.payloads();
        const snapshot = this.payloads.window.parse(window);
        if (!this.page) {
            throw new Error('The connection is closed');
        }
        this.connected ??= new ConnectedPage(snapshot.loadId, this.page);
        this.connected.markHeard();
        return this.servers.hello(this.connected, snapshot);
    }

    async focus(sequence: number): Promise<FocusAnswer> {
        const page = this.requirePage();
        const known = this.payloads.sequence.parse(sequence);
        const window = this.windows.windowOf(page);
        this.servers.focus(window);
        const told = window.toldFiles;
        const realPaths = await this.follow(window, told);
        // After the file system's answer, in which time the page may have been asked for more.
        const state = this.states.missed(window, page, known);
        const links = told.map((path, index): OpenedLink => ({ path, realPath: realPaths[index] }));
        return { ...(state && { state }), links: links.filter(({ path, realPath }) => path !== realPath) };
    }

    async updateContext(snapshot: ContextSnapshot): Promise<void> {
        this.windows.updateContext(this.window(), this.payloads.context.parse(snapshot));
    }

    async readToldContexts(): Promise<ToldContext[]> {
        return this.windows.toldContexts(this.window());
    }

    async realPaths(paths: string[]): Promise<Array<string | undefined>> {
        return this.follow(this.window(), this.payloads.paths.parse(paths));
    }

    async findCliTerminals(shells: number[]): Promise<CliTerminal[]> {
        const window = this.window();
        const clis = this.windows.connectedClis(window);
        this.states.lookFor(window);
        const candidates = new Set(this.payloads.shells.parse(shells));
        const found = new Map<number, CliTerminal>();
        for (const { displayName, peer, session } of clis) {
            const shell = await this.processes.shellOf(peer.pid, candidates);
            if (shell !== undefined) {
                found.set(shell, {
                    shell,
                    displayName,
                    ...(peer.folder === undefined ? {} : { folder: peer.folder }),
                    ...(session.mention && { takesMentions: true as const }),
                    ...(this.agents.takesPastes(shell) && { takesPastes: true as const }),
                    ...this.clis.promptOf(session.cliId)
                });
            }
        }
        return [...found.values()];
    }

    async findCliIn(shell: number): Promise<CliTerminal | undefined> {
        const [connected] = await this.findCliTerminals([this.payloads.shell.parse(shell)]);
        const isAsked = !connected && this.window().shells.has(shell);
        const program = isAsked ? await this.agents.foregroundOf(shell) : undefined;
        const cli = program?.cli && this.clis.get(program.cli.id);
        // How others read a name in their prompt is not known.
        if (!program || !cli) {
            return connected;
        }
        const { id, displayName } = cli;
        const folder = (await this.processes.details(program.pid))?.folder;
        return {
            shell,
            displayName,
            ...(folder !== undefined && { folder }),
            ...(this.agents.takesPastes(shell) && { takesPastes: true as const }),
            ...this.clis.promptOf(id)
        };
    }

    async makeUploadFolder(shell: number): Promise<string | undefined> {
        return this.window().shells.has(this.payloads.shell.parse(shell)) ? this.uploads.make(shell) : undefined;
    }

    async watchTerminals(shells: number[]): Promise<void> {
        this.servers.watchTerminals(this.window(), this.payloads.shells.parse(shells));
    }

    async markAgentSeen(shell: number): Promise<void> {
        if (this.window().shells.has(this.payloads.shell.parse(shell))) {
            this.agents.markSeen(shell);
        }
    }

    async mention(shell: number, mentions: Mention[]): Promise<boolean> {
        const window = this.window();
        const candidates = new Set([this.payloads.shell.parse(shell)]);
        const checked = this.payloads.mentions.parse(mentions);
        for (const { session } of this.windows.connectedClis(window)) {
            if (session.mention && session.peer && (await this.processes.shellOf(session.peer.pid, candidates)) !== undefined) {
                return session.mention(checked);
            }
        }
        return false;
    }

    async findCommand(cliId: string): Promise<CommandSearch> {
        this.requirePage();
        return this.commands.find(this.payloads.id.parse(cliId));
    }

    async setIdeMode(cliId: string, on: boolean): Promise<Fault | undefined> {
        this.requirePage();
        return this.commands.setIdeMode(this.payloads.id.parse(cliId), this.payloads.flag.parse(on));
    }

    async readReview(reviewId: string): Promise<ReviewContent | undefined> {
        return this.routing.read(this.window(), this.payloads.id.parse(reviewId));
    }

    async acceptReview(reviewId: string, shown: ShownText, file?: SeenFile): Promise<ReviewAnswer> {
        const window = this.window();
        const seen = this.payloads.seenFile.parse(file) ?? undefined;
        return this.routing.accept(window, this.payloads.id.parse(reviewId), this.payloads.shown.parse(shown), seen);
    }

    async lookAtFile(uri: string, file?: SeenFile): Promise<FileFacts> {
        this.requirePage();
        const path = FileUri.fsPath(this.payloads.uri.parse(uri));
        return this.windows.reviews.inspect(path, this.payloads.seenFile.parse(file) ?? undefined);
    }

    async rejectReview(reviewId: string): Promise<ReviewAnswer> {
        return this.routing.reject(this.window(), this.payloads.id.parse(reviewId));
    }

    async closeReview(reviewId: string): Promise<ReviewAnswer> {
        return this.routing.rejectByClosing(this.window(), this.payloads.id.parse(reviewId));
    }

    async saveReview(save: ReviewSave): Promise<void> {
        await this.routing.save(this.window(), this.payloads.save.parse(save));
    }

    async readEdit(id: string): Promise<string | undefined> {
        return this.routing.readEdit(this.window(), this.payloads.id.parse(id));
    }

    async discardEdit(id: string): Promise<void> {
        await this.routing.discardEdit(this.window(), this.payloads.id.parse(id));
    }

    async readChanges(look: boolean): Promise<ChangeList> {
        const window = this.window();
        const list = await this.changes.list(window.roots, this.payloads.flag.parse(look));
        const named = <T extends { uri: string }>(files: T[]): T[] =>
            files.map(file => ({ ...file, uri: window.workspace.nameOf(file.uri) }));
        return { ...list, files: named(list.files), undone: named(list.undone) };
    }

    async readBaseline(uri: string): Promise<Baseline | undefined> {
        return this.changes.baseline(...this.changedFile(uri));
    }

    async keepChange(uri: string, version: number, lines?: ChangeLines): Promise<boolean> {
        const { sequence, optionalLines } = this.payloads;
        return this.changes.keep(...this.changedFile(uri), sequence.parse(version), optionalLines.parse(lines) ?? undefined);
    }

    async mayUndoChange(uri: string, version: number, left?: TextAfterUndo): Promise<boolean> {
        const { sequence, optionalAfterUndo } = this.payloads;
        const after = optionalAfterUndo.parse(left);
        return this.changes.mayUndo(...this.changedFile(uri), sequence.parse(version), after ? (after.text ?? null) : undefined);
    }

    async undoFiles(files: ChangedFile[]): Promise<UndoResult> {
        const wanted = this.payloads.changedFiles.parse(files);
        return this.undo(
            wanted.map(({ uri, version }) => ({ file: this.changedFile(uri)[1], version })),
            false
        );
    }

    async countUndoAll(): Promise<{ files: number; lost: number }> {
        const { files, lost } = await this.changes.undoable(this.window().roots);
        return { files: files.length, lost };
    }

    async undoAll(version: number): Promise<UndoResult | undefined> {
        const { files } = await this.changes.undoable(this.window().roots);
        return this.payloads.sequence.parse(version) === this.changes.listVersion ? this.undo(files, true) : undefined;
    }

    async keepAll(version: number): Promise<boolean> {
        return this.changes.keepAll(this.window().roots, this.payloads.sequence.parse(version));
    }

    async putBack(id: string, uri?: string): Promise<UndoResult> {
        const { roots } = this.window();
        const { id: idSchema, optionalUri } = this.payloads;
        const one = optionalUri.parse(uri) ?? undefined;
        return this.resultOf(await this.changes.putBack(roots, idSchema.parse(id), one && this.changedFile(one)[1]));
    }

    /** A file with edits that are not saved, in any window, stays: Theia would ask about a conflict. */
    protected async undo(files: ReadonlyArray<{ file: string; version: number }>, mayLose: boolean): Promise<UndoResult> {
        const edited = await this.windows.unsavedFiles(files.map(({ file }) => file));
        const { roots } = this.window();
        const result = this.resultOf(
            await this.changes.undoFiles(
                roots,
                files.filter(({ file }) => !edited.has(file)),
                mayLose
            )
        );
        const left = files.filter(({ file }) => edited.has(file)).map(({ file }) => ({ uri: this.uriOf(file), reason: 'edited' as const }));
        return { ...result, left: [...result.left, ...left] };
    }

    protected resultOf(results: readonly UndoneResult[]): UndoResult {
        return {
            done: results.flatMap(({ file, reason }) => (reason ? [] : this.uriOf(file))),
            left: results.flatMap(({ file, reason, cause }) =>
                reason ? { uri: this.uriOf(file), reason, ...(cause !== undefined && { cause }) } : []
            )
        };
    }

    /** As the page names it. */
    protected uriOf(file: string): string {
        return this.window().workspace.nameOf(FileUri.create(file).toString());
    }

    async diagnose(shell?: number): Promise<Diagnosis> {
        // JSON makes null of an argument that is left out.
        return this.doctor.diagnose(
            await this.doctorWindows.describe(this.window()),
            shell == null ? undefined : this.payloads.shell.parse(shell)
        );
    }

    async readLog(after: number): Promise<LogLines> {
        return this.window().log.after(this.payloads.sequence.parse(after));
    }

    @preDestroy()
    protected disconnect(): void {
        this.page = undefined;
        if (this.connected) {
            this.connected.closed = true;
            this.servers.leave(this.connected);
            this.connected = undefined;
        }
    }

    /** In each place one after the other: a file system that does not answer is asked once. */
    protected async follow(window: Window, paths: readonly string[]): Promise<Array<string | undefined>> {
        const places = paths.map(path => window.rootOf(path) ?? OPENED_FILES);
        const found: Array<string | undefined> = paths.map(() => undefined);
        const followAll = async (place: string): Promise<void> => {
            for (let index = places.indexOf(place); index >= 0; index = places.indexOf(place, index + 1)) {
                found[index] = await this.tasks.run(place, () => realpath(paths[index])).catch(() => undefined);
            }
        };
        await Promise.all([...new Set(places)].map(followAll));
        return found;
    }

    protected get routing(): ReviewRouting {
        return this.windows.routing;
    }

    /** The roots of the window, and the file. Throws for one in none of them. */
    protected changedFile(uri: string): [readonly string[], string] {
        const window = this.window();
        const file = window.workspace.resolve(FileUri.fsPath(this.payloads.uri.parse(uri)));
        if (!window.roots.some(root => isInside(root, file))) {
            throw new Error(`${file} is in no folder of this window`);
        }
        return [window.roots, file];
    }

    protected window(): Window {
        return this.windows.windowOf(this.requirePage());
    }

    protected requirePage(): ConnectedPage {
        if (!this.connected) {
            throw new Error('The window has not said hello');
        }
        this.connected.markHeard();
        return this.connected;
    }
}
