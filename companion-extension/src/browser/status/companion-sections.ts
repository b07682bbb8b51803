// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { ContributionGuard } from '../../common/contribution-guard';
import { STATUS_COMMANDS } from './status-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { reloadReason } from '../window/restart-watch';
import {
    commandRow,
    problemRow,
    PROBLEMS,
    StatusRow,
    StatusSection,
    StatusSectionContribution
} from '../window/status-section-contribution';
import { ENABLE_COMMAND } from '../window/status-words';

export const RELOAD = 'reload';
/** Whichever of them the application has. */
const GETTING_STARTED = ['companion.sample.gettingStarted', 'getting.started.widget'];

/** The sections of no feature: the companion itself, its problems, and actions. */
@injectable()
export class CompanionSections implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state' | 'failure' | 'reloadNeeded'>;
    @inject(ContributionGuard)
    protected readonly guard: Pick<ContributionGuard, 'failures'>;
    @inject(CommandRegistry)
    protected readonly commands: Pick<CommandRegistry, 'getCommand'>;

    sections(): StatusSection[] {
        const { reloadNeeded, state } = this.connection;
        const isOff = state?.status.state === 'disabled';
        return [
            // The browser asks about unsaved text first.
            { id: RELOAD, order: 0, rows: reloadNeeded ? [this.reload()] : [] },
            {
                id: 'off',
                order: 50,
                title: nls.localize('theia/cli-companion/status/disabled', 'Companion off'),
                rows: isOff ? [this.turnOn()] : []
            },
            {
                id: PROBLEMS,
                order: 70,
                title: nls.localize('theia/cli-companion/status/problems', 'Problems'),
                rows: this.problems.map(problemRow)
            },
            { id: 'actions', order: 91, title: nls.localize('theia/cli-companion/status/actions', 'Actions'), rows: this.actions }
        ];
    }

    protected reload(): StatusRow {
        const reason = reloadReason();
        const label = nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
        return { id: 'reload', icon: 'refresh', label, detail: reason, sentences: [reason], command: STATUS_COMMANDS.RELOAD.id };
    }

    protected turnOn(): StatusRow {
        return {
            id: 'turnOn',
            icon: 'plug',
            label: nls.localize('theia/cli-companion/status/turnOn', 'Turn On the Companion'),
            detail: nls.localize(
                'theia/cli-companion/status/turnOnDetail',
                'Then type {0} in CLIs that are already running.',
                ENABLE_COMMAND
            ),
            sentences: [
                nls.localize(
                    'theia/cli-companion/status/disabledHint',
                    'CLIs cannot connect to this window. Turn on the preference {0}.',
                    'companion.enabled'
                )
            ],
            command: STATUS_COMMANDS.TURN_ON.id
        };
    }

    protected get problems(): CompanionProblem[] {
        const { failure, state } = this.connection;
        return [
            ...(failure === undefined ? [] : [{ code: 'contributed' as const, text: failure }]),
            ...(state?.status.problems ?? []),
            ...this.guard.failures.map(cause => ({ code: 'part-failed' as const, cause }))
        ];
    }

    protected get actions(): StatusRow[] {
        const hasPreferences = this.commands.getCommand(CommonCommands.OPEN_PREFERENCES.id) !== undefined;
        return [
            commandRow(this.commands, SHARED_COMMANDS.CHECK_CONNECTION.id, 'pulse'),
            commandRow(this.commands, SHARED_COMMANDS.SHOW_LOG.id, 'output'),
            hasPreferences ? commandRow(this.commands, STATUS_COMMANDS.OPEN_SETTINGS.id, 'gear') : undefined,
            GETTING_STARTED.map(id => commandRow(this.commands, id, 'book')).find(row => row !== undefined)
        ].filter(row => row !== undefined);
    }
}
