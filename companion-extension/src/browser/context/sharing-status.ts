// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EXCLUDE, SHARE } from '../../common/companion-preferences';
import { CONTEXT_COMMANDS } from './context-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { PagePolicy } from '../window/page-policy';
import {
    commandRow,
    problemRow,
    PROBLEMS,
    StatusBrief,
    StatusRow,
    StatusSection,
    StatusSectionContribution
} from '../window/status-section-contribution';
import { WorkspacePaths } from '../window/workspace-paths';
import { ContextFilter } from './context-filter';
import { WithheldFile } from './context-state';
import { ContextTracker } from './context-tracker';

const { SHOW_CONTEXT, TOGGLE_SHARING } = CONTEXT_COMMANDS;

/** The extent of sharing now, never a text, and problems of the settings that decide. */
@injectable()
export class SharingStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(ContextTracker)
    protected readonly tracker: Pick<ContextTracker, 'shared' | 'withheld' | 'onDidChange'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display' | 'name'>;
    @inject(PagePolicy)
    protected readonly policy: Pick<PagePolicy, 'isLocked'>;
    @inject(CommandRegistry)
    protected readonly commands: Pick<CommandRegistry, 'getCommand'>;

    get onDidChange(): Event<unknown> {
        return Event.any(this.filter.onDidChange, this.tracker.onDidChange);
    }

    sections(): StatusSection[] {
        const isOff = this.connection.state?.status.state === 'disabled';
        return [
            {
                id: 'sharing',
                order: 60,
                title: nls.localize('theia/cli-companion/status/sharing', 'Sharing'),
                rows: isOff ? [] : this.rows(),
                briefs: this.briefs()
            },
            { id: PROBLEMS, order: 71, rows: (this.filter.problems ?? []).map(problemRow) }
        ];
    }

    protected rows(): StatusRow[] {
        const { sharing } = this.filter;
        const text = this.describe();
        const report = commandRow(this.commands, SHOW_CONTEXT.id, sharing ? 'eye' : 'eye-closed');
        return [
            ...(report ? [{ ...report, label: text, sentences: [text] }] : []),
            ...(sharing ? this.tracker.withheld : []).map(file => this.withheld(file)),
            ...this.toggle(report ? undefined : text)
        ];
    }

    protected withheld({ path, rule, isActive }: WithheldFile): StatusRow {
        const display = this.paths.display(path);
        const label = this.paths.name(path);
        const sentence =
            rule === undefined
                ? nls.localize('theia/cli-companion/status/withheld', 'Withheld: {0}', display)
                : nls.localize('theia/cli-companion/status/withheldBy', 'Withheld: {0} ({1})', display, rule);
        const isInReport = this.commands.getCommand(SHOW_CONTEXT.id) !== undefined && !rule?.startsWith(EXCLUDE);
        return {
            id: `withheld ${path}`,
            icon: 'eye-closed',
            label,
            description: nls.localize('theia/cli-companion/status/isWithheld', 'withheld'),
            detail: rule === undefined ? display : display === label ? rule : `${display} (${rule})`,
            sentences: isActive ? [sentence] : [],
            ...(isInReport ? { command: SHOW_CONTEXT.id } : { command: CommonCommands.OPEN_PREFERENCES.id, args: [EXCLUDE] })
        };
    }

    /** @param detail what is shared, if no other row says it */
    protected toggle(detail: string | undefined): StatusRow[] {
        const { sharing, paused, setPaused, setSharing } = this.filter;
        const isDecided = !sharing && !paused && this.policy.isLocked(SHARE);
        if (isDecided || (!setPaused && !setSharing)) {
            return [];
        }
        const stop = setPaused
            ? nls.localize('theia/cli-companion/status/pauseSharing', 'Pause Sharing in This Window')
            : nls.localize('theia/cli-companion/status/stopSharing', 'Stop Sharing Open Files and Selection');
        const start = paused
            ? nls.localize('theia/cli-companion/status/resumeSharing', 'Resume Sharing in This Window')
            : nls.localize('theia/cli-companion/status/startSharing', 'Share Open Files and Selection');
        return [
            {
                id: 'toggleSharing',
                icon: sharing ? 'debug-pause' : 'debug-continue',
                label: sharing ? stop : start,
                detail,
                sentences: detail === undefined ? [] : [detail],
                command: TOGGLE_SHARING.id
            }
        ];
    }

    /** The extent of sharing in one sentence. */
    protected describe(): string {
        const { sharing, paused } = this.filter;
        if (!sharing) {
            return paused
                ? nls.localize('theia/cli-companion/status/notSharingHere', 'Sharing is paused in this window: CLIs see no files.')
                : nls.localize('theia/cli-companion/status/notSharing', 'Open files and selection are not shared.');
        }
        const files = this.tracker.shared.workspaceState?.openFiles ?? [];
        const selected = files.find(({ isActive }) => isActive)?.selectedText?.length ?? 0;
        const count =
            files.length === 1
                ? nls.localize('theia/cli-companion/status/sharedFile', '1 open file')
                : nls.localize('theia/cli-companion/status/sharedFiles', '{0} open files', files.length);
        return selected === 0
            ? nls.localize('theia/cli-companion/status/shared', 'Shared: {0}, nothing selected.', count)
            : nls.localize('theia/cli-companion/status/sharedSelection', 'Shared: {0}, characters selected: {1}.', count, selected);
    }

    protected briefs(): StatusBrief[] {
        const { sharing, paused } = this.filter;
        if (!sharing) {
            const whenPaused = nls.localize('theia/cli-companion/status/sharingPaused', 'sharing paused');
            const whenOff = nls.localize('theia/cli-companion/status/sharingOff', 'sharing off');
            return [{ kind: 'surprise', rank: 60, text: paused ? whenPaused : whenOff, icon: 'debug-pause' }];
        }
        // Only interesting while a CLI is connected.
        const hasCli = (this.connection.state?.status.connections ?? []).length > 0;
        const text = nls.localize('theia/cli-companion/status/activeWithheld', 'active file withheld');
        return hasCli && this.tracker.withheld.some(({ isActive }) => isActive)
            ? [{ kind: 'surprise', rank: 80, text, icon: 'eye-closed' }]
            : [];
    }
}
