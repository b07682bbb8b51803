// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import {
    Baseline,
    ChangedFile,
    ChangeLines,
    ChangeList,
    ChangesBackend,
    TextAfterUndo,
    TurnUndoFile,
    UndoneTexts,
    UndoResult
} from '../../common/changes/changes-protocol';
import { isInside } from '../host/paths';
import { Policy } from '../host/policy';
import { ChangeEvent, ServerEvents } from '../server/companion-events';
import { PageConnection } from '../server/page-connection';
import { Windows } from '../server/windows';
import { Changes } from './changes';
import type { SeenRow, UndoneResult } from './folder-undo';

/** What a page calls about changes. */
@injectable()
export class ChangesService implements ChangesBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(Changes)
    protected readonly changes: Changes;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;

    async readChanges(look: boolean): Promise<ChangeList> {
        const window = this.connection.window;
        const list = await this.changes.list(window.roots, look);
        const named = <T extends { uri: string }>(files: T[]): T[] =>
            files.map(file => ({ ...file, uri: window.workspace.nameOf(file.uri) }));
        const mayUndo = this.policy.allows('undoWholeFiles');
        const files = named(list.files).map(file => ({ ...file, canUndo: file.canUndo && mayUndo }));
        return { ...list, files, undone: named(list.undone) };
    }

    async readBaseline(uri: string): Promise<Baseline | undefined> {
        return this.changes.baseline(...this.changedFile(uri));
    }

    async keepChange(uri: string, version: number, lines?: ChangeLines): Promise<boolean> {
        const { sequence, optionalLines } = this.connection.payloads;
        const [roots, file] = this.changedFile(uri);
        const hunk = optionalLines.parse(lines) ?? undefined;
        const record = this.recorder('kept', [file], hunk !== undefined);
        const isKept = await this.changes.keep(roots, file, sequence.parse(version), hunk);
        record(isKept ? [{ file }] : []);
        return isKept;
    }

    async mayUndoChange(uri: string, version: number, left?: TextAfterUndo): Promise<boolean> {
        const { sequence, optionalAfterUndo } = this.connection.payloads;
        const after = optionalAfterUndo.parse(left);
        return this.changes.mayUndo(...this.changedFile(uri), sequence.parse(version), after ? (after.text ?? null) : undefined);
    }

    async markUndone(uri: string): Promise<void> {
        const [roots, file] = this.changedFile(uri);
        const agents = this.changes.takeUndone(roots, file);
        this.recorder('undone', [], true)(agents ? [{ file, agents }] : []);
    }

    async undoFiles(files: ChangedFile[]): Promise<UndoResult> {
        const { roots } = this.connection.window;
        return this.undo(this.changedFiles(files), saved => this.changes.undoFiles(roots, saved, false));
    }

    async countUndoAll(): Promise<{ files: number; lost: number }> {
        const { files, lost } = await this.changes.undoable(this.connection.window.roots);
        return { files: files.length, lost };
    }

    async undoAll(version: number): Promise<UndoResult | undefined> {
        const { roots } = this.connection.window;
        const { files } = await this.changes.undoable(roots);
        const isCurrent = this.changes.isCurrent(roots, this.connection.payloads.sequence.parse(version));
        return isCurrent ? this.undo(files, saved => this.changes.undoFiles(roots, saved, true)) : undefined;
    }

    async planTurnUndo(turn: string, andLater: boolean): Promise<TurnUndoFile[] | undefined> {
        const { id, flag } = this.connection.payloads;
        const files = await this.changes.planTurnUndo(this.connection.window.roots, id.parse(turn), flag.parse(andLater));
        return files?.map(({ file, ...rest }) => ({ uri: this.uriOf(file), ...rest }));
    }

    async undoTurn(turn: string, andLater: boolean, files: ChangedFile[]): Promise<UndoResult> {
        const { id, flag } = this.connection.payloads;
        const [ofTurn, isAll] = [id.parse(turn), flag.parse(andLater)];
        const { roots } = this.connection.window;
        return this.undo(this.changedFiles(files), saved => this.changes.undoTurn(roots, ofTurn, isAll, saved));
    }

    async keepAll(version: number): Promise<boolean> {
        const record = this.recorder('kept', []);
        const kept = await this.changes.keepAll(this.connection.window.roots, this.connection.payloads.sequence.parse(version));
        record(kept ?? []);
        return kept !== undefined;
    }

    async putBack(id: string, uri?: string): Promise<UndoResult> {
        const { roots } = this.connection.window;
        const one = uri == null ? undefined : this.changedFile(uri)[1];
        const record = this.recorder('putBack', []);
        const results = await this.changes.putBack(roots, this.connection.payloads.id.parse(id), one);
        record(results);
        return this.resultOf(results);
    }

    async readUndone(id: string, uri: string): Promise<UndoneTexts | undefined> {
        return this.changes.readUndone(...this.changedFile(uri), this.connection.payloads.id.parse(id));
    }

    async clearUndone(version: number): Promise<boolean> {
        return this.changes.clearUndone(this.connection.window.roots, this.connection.payloads.sequence.parse(version));
    }

    /** A file with edits that are not saved, in any window, stays: Theia would ask about a conflict. */
    protected async undo(files: readonly SeenRow[], run: (saved: readonly SeenRow[]) => Promise<UndoneResult[]>): Promise<UndoResult> {
        if (!this.policy.allows('undoWholeFiles')) {
            // No page of ours asks.
            throw new Error('The policy forbids to undo whole files');
        }
        const names = files.map(({ file }) => file);
        const record = this.recorder('undone', names);
        const edited = await this.windows.unsavedFiles(names);
        const results = await run(files.filter(({ file }) => !edited.has(file)));
        record(results);
        const result = this.resultOf(results);
        const left = files.filter(({ file }) => edited.has(file)).map(({ file }) => ({ uri: this.uriOf(file), reason: 'edited' as const }));
        return { ...result, left: [...result.left, ...left] };
    }

    /**
     * Asked before anything is done: afterwards a row is gone with its agents, and perhaps the page.
     *
     * @returns tells the record what was done
     */
    protected recorder(
        kind: ChangeEvent['kind'],
        files: readonly string[],
        isPart = false
    ): (results: ReadonlyArray<Pick<UndoneResult, 'file' | 'reason'> & { readonly agents?: readonly string[] }>) => void {
        const { id, roots } = this.connection.window;
        const before = new Map(files.map(file => [file, this.changes.agentsOf(roots, file)]));
        return results => {
            for (const { file, agents } of results.filter(({ reason }) => !reason)) {
                const names = agents ?? before.get(file) ?? this.changes.agentsOf(roots, file);
                this.events.recordChange(id, file, { kind, agents: names, isPart });
            }
        };
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
        return this.connection.window.workspace.nameOf(FileUri.create(file).toString());
    }

    protected changedFiles(files: readonly ChangedFile[]): SeenRow[] {
        return files.map(({ uri, version }) => ({ file: this.changedFile(uri)[1], version }));
    }

    /** The roots of the window, and the file. Throws for one in none of them. */
    protected changedFile(uri: string): [readonly string[], string] {
        const window = this.connection.window;
        const file = window.workspace.resolve(FileUri.fsPath(this.connection.payloads.uri.parse(uri)));
        if (!window.roots.some(root => isInside(root, file))) {
            throw new Error(`${file} is in no folder of this window`);
        }
        return [window.roots, file];
    }
}
