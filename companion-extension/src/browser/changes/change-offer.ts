// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, StatusBar, StatusBarAlignment } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { Disposable } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { AcceptedProposal } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeWrite, isWritten } from './accepted-words';
import { CHANGE_COMMANDS } from './changes-command-ids';

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
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;

    protected timer: NodeJS.Timeout | undefined;
    /** The writes that were told; `undefined` before the first state, which has no news. */
    protected told: ReadonlySet<string> | undefined;
    protected following = Disposable.NULL;

    onStart(): void {
        this.following = this.connection.onDidChangeState(() => this.update());
        this.update();
    }

    onStop(): void {
        this.following.dispose();
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
                this.show(what, { id: command, iconClass: 'discard', label: nls.localizeByDefault('Undo'), tooltip });
            }
        }
        this.told = state && new Set(written.map(keyOf));
    }

    show(what: string, action: OfferedAction): void {
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

    hide(): void {
        clearTimeout(this.timer);
        void this.statusBar.removeElement(STATUS_ELEMENT);
    }
}
