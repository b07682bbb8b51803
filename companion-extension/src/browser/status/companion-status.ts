// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { STATUS_COMMANDS } from './status-command-ids';
import { companionName } from '../companion-name';
import { CompanionConnection } from '../window/companion-connection';
import { StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { StatusCommands } from './status-commands';
import { StatusPick } from './status-pick';
import { describeStatus, inOrder, StatusView } from './status-text';

const STATUS_ELEMENT = 'companion-status';

/** The companion's element in the status bar, and the list that opens from it. Every problem is shown here and nowhere else. */
@injectable()
export class CompanionStatusContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContributionProvider)
    @named(StatusSectionContribution)
    protected readonly contributions: ContributionProvider<StatusSectionContribution>;
    @inject(StatusCommands)
    protected readonly commands: StatusCommands;
    @inject(StatusPick)
    protected readonly pick: StatusPick;

    protected shown: StatusView | undefined;
    protected wasReloadOffered = false;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.push(this.connection.onDidChangeState(() => this.update()));
        for (const { onDidChange } of this.contributions.getContributions()) {
            if (onDidChange) {
                this.toDispose.push(onDidChange(() => this.update()));
            }
        }
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        const openPreferences = CommonCommands.OPEN_PREFERENCES.id;
        const hasPreferences = (): boolean => commands.getCommand(openPreferences) !== undefined;
        commands.registerCommand(STATUS_COMMANDS.OPEN_SETTINGS, {
            isEnabled: hasPreferences,
            isVisible: hasPreferences,
            execute: () => commands.executeCommand(openPreferences, 'companion.')
        });
        commands.registerCommand(STATUS_COMMANDS.SHOW_STATUS, {
            execute: () => {
                // The backend looks whether the files have what was kept.
                this.connection.refresh();
                this.pick.show(this.sections);
            }
        });
    }

    protected get sections(): StatusSection[] {
        const now = Date.now();
        // One that has failed gives none: ContributionGuard.
        return inOrder(this.contributions.getContributions().flatMap(contribution => contribution.sections(now) ?? []));
    }

    protected update(): void {
        if (this.connection.reloadNeeded && !this.wasReloadOffered) {
            this.wasReloadOffered = true;
            void this.commands.offerReload();
        }
        const { sections } = this;
        this.pick.refresh(sections);
        const view = describeStatus(this.connection, sections);
        // The cursor moves often.
        if (JSON.stringify(view) === JSON.stringify(this.shown)) {
            return;
        }
        this.shown = view;
        const { text, tooltip, label, isProblem, isWaiting } = view;
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text,
            tooltip: asElement(tooltip),
            name: companionName(),
            accessibilityInformation: { label, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            priority: 100,
            className: isProblem ? 'companion-status-problem' : undefined,
            // As the daemon's chat that waits.
            ...(isWaiting && {
                backgroundColor: 'var(--theia-statusBarItem-warningBackground)',
                color: 'var(--theia-statusBarItem-warningForeground)'
            }),
            command: STATUS_COMMANDS.SHOW_STATUS.id
        });
    }
}

/** One line for each sentence. */
function asElement(sentences: readonly string[]): HTMLElement {
    const element = document.createElement('div');
    for (const sentence of sentences) {
        const line = document.createElement('div');
        line.textContent = sentence;
        element.append(line);
    }
    return element;
}
