// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, WidgetManager } from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { ChangesView } from './changes-view';
import { REVIEW_ALL_ID, ReviewAllWidget } from './review-all-widget';

/** Opens {@link ReviewAllWidget}, in which the keys for changes go from file to file. */
@injectable()
export class ReviewAll implements CommandContribution, TabBarToolbarContribution {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;

    /** Called after the changes' own handlers are there. */
    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CHANGE_COMMANDS.REVIEW_ALL, { execute: () => this.show() });
        for (const target of ['next', 'previous'] as const) {
            const { id } = target === 'next' ? CHANGE_COMMANDS.NEXT_FILE_CHANGE : CHANGE_COMMANDS.PREVIOUS_FILE_CHANGE;
            commands.registerHandler(id, {
                isEnabled: () => this.shell.activeWidget instanceof ReviewAllWidget,
                execute: () => this.shell.activeWidget instanceof ReviewAllWidget && this.shell.activeWidget.goToChange(target)
            });
        }
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        const { id } = CHANGE_COMMANDS.REVIEW_ALL;
        toolbar.registerItem({ id, command: id, priority: -1, isVisible: widget => widget instanceof ChangesView });
    }

    protected async show(): Promise<void> {
        const widget = await this.widgets.getOrCreateWidget(REVIEW_ALL_ID);
        if (!widget.isAttached) {
            await this.shell.addWidget(widget, { area: 'main' });
        }
        await this.shell.activateWidget(widget.id);
    }
}
