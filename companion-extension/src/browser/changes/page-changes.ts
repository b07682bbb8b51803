// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Baseline, ChangeList, ChangesBackend, ChangesTrouble, FileChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { FileText } from '../../common/diff/line-hunks';
import { fromWire } from '../../common/diff/raw-text';
import { noAnswerText } from '../../common/sentences';
import { FileEncodings } from '../diff/file-encodings';
import { groupsOf } from './change-groups';
import { CompanionConnection } from '../window/companion-connection';

/** A look at all files of a large repository takes seconds. */
export const CHANGES_LIMIT_MS = 30_000;
/** The text that the user last knew. */
interface PageBaseline extends Pick<Baseline, 'version'> {
    /** `null` if there was no file. */
    readonly text: FileText;
    /** As an editor shows it. */
    readonly shown: string;
}

const NOTHING: ChangeList = { version: 0, tracking: false, files: [], more: 0, undone: [], turns: [] };

/**
 * The list of this page: what was changed outside the editor. The window's state says when to read it again.
 *
 * Promised: `files`, `count`, `trouble` and `onDidChange`.
 * @since 0.1
 */
@injectable()
export class PageChanges implements FrontendApplicationContribution {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ChangesBackend)
    protected readonly backend: Pick<ChangesBackend, 'readChanges' | 'readBaseline'>;
    @inject(FileEncodings)
    protected readonly encodings: Pick<FileEncodings, 'textOf'>;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidChangeEmitter);
    protected current = NOTHING;
    protected byUri: ReadonlyMap<string, FileChange> = new Map();
    /** The version that the window's state named when the list was last asked for; `undefined` if it has to be asked for. */
    protected asked: number | undefined;
    protected shownAccepted = '[]';
    /** Ids of accepted proposals. */
    protected readonly undone = new Set<string>();
    protected isReading = false;
    /** Numbers the calls: of two answers, that to the later call counts. */
    protected calls = 0;

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => {
                this.update();
                this.updateAccepted();
            }),
            // Another backend counts its versions from its own beginning.
            this.connection.onDidRecover(() => {
                this.asked = undefined;
                this.update();
            })
        ]);
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    get list(): ChangeList {
        return this.current;
    }

    /** Those that wait for the user to look, and what is committed. */
    get files(): readonly FileChange[] {
        return this.current.files;
    }

    /** Those that wait for the user to look, in the order of the view. */
    get toReview(): readonly FileChange[] {
        return groupsOf(this.current).flatMap(({ kind, files }) => (kind === 'changed' ? files : []));
    }

    /** How many wait for the user to look, those included for which there is no room. */
    get count(): number {
        return this.connection.state?.changes.count ?? 0;
    }

    /** What CLIs made of the proposals that were accepted, the newest first. */
    get accepted(): readonly AcceptedProposal[] {
        return (this.connection.state?.accepted ?? []).filter(({ id }) => !this.undone.has(id));
    }

    /** The accept that an undo without a row takes back. */
    get undoable(): AcceptedProposal | undefined {
        return this.accepted.find(({ noUndo }) => noUndo === undefined);
    }

    /** It is undone, which the backend may not know yet: the next undo is about the one before. */
    removeAccepted(id: string): void {
        this.undone.add(id);
        this.updateAccepted();
    }

    get trouble(): ChangesTrouble | undefined {
        return this.connection.state?.changes.trouble;
    }

    find(uri: string): FileChange | undefined {
        return this.byUri.get(new URI(uri).toString());
    }

    /** Looks at the files before it reads the list: not every change is reported. */
    async look(): Promise<void> {
        await this.read(true);
    }

    /** @returns `undefined` if the file is not listed any more, or its text before is not known */
    async readBaseline(uri: string): Promise<PageBaseline | undefined> {
        // A diff is restored before the hello, and the backend would refuse. Then Theia (1.74) drops its tab.
        await this.connection.ready;
        const baseline = await this.connection.ask(() => this.backend.readBaseline(uri), CHANGES_LIMIT_MS, noAnswerText());
        if (!baseline) {
            return undefined;
        }
        const { version } = baseline;
        const text = baseline.text === undefined ? null : fromWire(baseline.text);
        return { version, text, shown: await this.encodings.textOf(new URI(uri), text ?? '') };
    }

    protected update(): void {
        const version = this.connection.state?.changes.version;
        // While agents write, versions come faster than lists.
        if (version !== undefined && version !== this.asked && !this.isReading) {
            this.asked = version;
            this.isReading = true;
            void this.read(false).then(isRead => {
                this.isReading = false;
                if (isRead) {
                    this.update();
                }
            });
        }
    }

    protected updateAccepted(): void {
        const shown = JSON.stringify(this.accepted);
        if (shown !== this.shownAccepted) {
            this.shownAccepted = shown;
            this.onDidChangeEmitter.fire();
        }
    }

    /** @returns whether there was an answer. Without one, it is asked for again with the next state */
    protected async read(look: boolean): Promise<boolean> {
        const call = ++this.calls;
        try {
            const list = await this.connection.ask(() => this.backend.readChanges(look), CHANGES_LIMIT_MS);
            if (call === this.calls && !this.toDispose.disposed) {
                this.current = list;
                this.byUri = new Map(list.files.map(file => [new URI(file.uri).toString(), file]));
                this.onDidChangeEmitter.fire();
            }
            return true;
        } catch {
            this.asked = undefined;
            return false;
        }
    }
}
