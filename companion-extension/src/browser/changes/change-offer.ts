// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, StatusBar, StatusBarAlignment } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { FileChange, UndoneChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { CompanionConnection } from '../window/companion-connection';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeWrite, isWritten } from './accepted-words';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { PageChanges } from './page-changes';

/** The command that it names stays. */
const OFFER_TIME_MS = 30_000;
const STATUS_ELEMENT = 'companion-written';

interface OfferedAction extends Command {
    /** In one or two words. */
    readonly label: string;
    readonly tooltip: string;
    readonly arguments?: unknown[];
}

/** What the status bar says of the last write or undo, with what can be done about it: a message would take the next Escape. */
@injectable()
export class ChangeOffer implements FrontendApplicationContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state' | 'onDidChangeState'>;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'list' | 'onDidChange'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;

    protected timer: NodeJS.Timeout | undefined;
    /** The writes that were told; `undefined` before the first state, which has no news. */
    protected told: ReadonlySet<string> | undefined;
    /** URIs of the undone files that the CLI can be told about. */
    protected tellable: readonly string[] = [];
    /** What could be put back at the last look. */
    protected undone: readonly UndoneChange[] = [];
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.update()),
            this.changes.onDidChange(() => this.updateUndone())
        ]);
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
        this.hide();
    }

    /** Only about the newest write. */
    protected update(): void {
        const { state } = this.connection;
        const written = state?.accepted.filter(isWritten) ?? [];
        const keyOf = ({ id, judged }: AcceptedProposal): string => `${id} ${judged}`;
        const [newest] = written;
        if (this.told && newest && !this.told.has(keyOf(newest))) {
            const what = describeWrite(newest, this.paths.display(newest.path));
            status(what);
            const { id: command, label: tooltip = '' } = CHANGE_COMMANDS.UNDO_ACCEPTED;
            if (newest.noUndo) {
                this.hide();
            } else {
                this.show(what, {
                    id: command,
                    iconClass: 'discard',
                    label: nls.localize('theia/cli-companion/changes/undo', 'Undo'),
                    tooltip
                });
            }
        }
        this.told = state && new Set(written.map(keyOf));
    }

    /** There is nothing to tell of what was put back, in whichever window. */
    protected updateUndone(): void {
        const { undone } = this.changes.list;
        const isThere = ({ id, uri }: UndoneChange): boolean => undone.some(one => one.id === id && one.uri === uri);
        if (this.undone.some(one => this.tellable.includes(one.uri) && !isThere(one))) {
            this.hide();
        }
        this.undone = undone;
    }

    protected show(what: string, action: OfferedAction): void {
        this.tellable = [];
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text: `${withoutIcons(what)} $(${action.iconClass}) ${withoutIcons(action.label)}`,
            tooltip: `${what}. ${action.tooltip}`,
            name: action.tooltip,
            accessibilityInformation: { label: `${what}. ${action.label}`, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            // Beside the companion's element.
            priority: 101,
            command: action.id,
            ...(action.arguments && { arguments: action.arguments })
        });
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.hide(), OFFER_TIME_MS);
    }

    /** Of a CLI that is connected, if it wrote them all: it does not notice an undo. */
    tellUndone(undone: ReadonlyArray<Pick<FileChange, 'uri' | 'authors'>>): void {
        if (undone.length > 0) {
            // It may be about this write.
            this.hide();
        }
        const [cliName, ...others] = new Set(undone.flatMap(({ authors }) => (authors.length > 0 ? authors : '')));
        const { connections = [] } = this.connection.state?.status ?? {};
        if (others.length > 0 || !connections.some(({ displayName }) => displayName === cliName)) {
            return;
        }
        const files = undone.map(({ uri }) => new URI(uri).path.fsPath());
        const what =
            files.length === 1
                ? nls.localize('theia/cli-companion/changes/isUndone', '{0} undone', this.paths.display(files[0]))
                : nls.localize('theia/cli-companion/changes/severalUndone', '{0} files undone', files.length);
        this.show(what, {
            id: SHARED_COMMANDS.TELL_UNDONE.id,
            iconClass: 'comment',
            label: nls.localize('theia/cli-companion/changes/tell', 'Tell {0}', cliName),
            tooltip: nls.localize('theia/cli-companion/changes/tellTooltip', 'Type into the prompt of {0} what you undid', cliName),
            arguments: [files, cliName]
        });
        this.tellable = undone.map(({ uri }) => uri);
    }

    hide(): void {
        clearTimeout(this.timer);
        this.tellable = [];
        void this.statusBar.removeElement(STATUS_ELEMENT);
    }
}
