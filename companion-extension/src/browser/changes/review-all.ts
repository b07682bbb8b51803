// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, WidgetManager } from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { ChangesView } from './changes-view';
import { PageChanges } from './page-changes';
import { REVIEW_ALL_ID } from './review-all-widget';

/** Opens `ReviewAllWidget`. */
@injectable()
export class ReviewAll implements CommandContribution, TabBarToolbarContribution {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'toReview' | 'onDidChange'>;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CHANGE_COMMANDS.REVIEW_ALL, {
            isEnabled: () => this.changes.toReview.length > 0,
            execute: () => this.show()
        });
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        const { id } = CHANGE_COMMANDS.REVIEW_ALL;
        const { onDidChange } = this.changes;
        toolbar.registerItem({ id, command: id, priority: -1, isVisible: widget => widget instanceof ChangesView, onDidChange });
    }

    protected async show(): Promise<void> {
        const widget = await this.widgets.getOrCreateWidget(REVIEW_ALL_ID);
        if (!widget.isAttached) {
            await this.shell.addWidget(widget, { area: 'main' });
        }
        await this.shell.activateWidget(widget.id);
    }
}
