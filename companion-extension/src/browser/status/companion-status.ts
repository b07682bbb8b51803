// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionCommands } from '../companion-commands';
import { companionName } from '../companion-name';
import { ContextFilter } from '../context/context-filter';
import { ContextTracker } from '../context/context-tracker';
import { CompanionConnection } from '../window/companion-connection';
import { StatusList } from './status-list';
import { StatusPick } from './status-pick';
import { describeStatus, StatusView } from './status-text';

const STATUS_ELEMENT = 'companion-status';

/** The companion's element in the status bar, and the list that opens from it. Every problem is shown here and nowhere else. */
@injectable()
export class CompanionStatusContribution implements FrontendApplicationContribution, CommandContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(StatusPick)
    protected readonly pick: StatusPick;
    @inject(ContextTracker)
    protected readonly tracker: ContextTracker;
    @inject(StatusList)
    protected readonly list: StatusList;

    protected shown: StatusView | undefined;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.update()),
            this.filter.onDidChange(() => this.update()),
            this.tracker.onDidChange(() => this.update())
        ]);
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.SHOW_STATUS, {
            execute: () => this.pick.show()
        });
    }

    protected update(): void {
        this.pick.refresh();
        const view = describeStatus(this.connection, this.list.sharing, this.list.rows);
        // The cursor moves often.
        if (JSON.stringify(view) === JSON.stringify(this.shown)) {
            return;
        }
        this.shown = view;
        const { text, tooltip, label, isProblem } = view;
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text,
            tooltip: asElement(tooltip),
            name: companionName(),
            accessibilityInformation: { label, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            priority: 100,
            className: isProblem ? 'companion-status-problem' : undefined,
            command: CompanionCommands.SHOW_STATUS.id
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
