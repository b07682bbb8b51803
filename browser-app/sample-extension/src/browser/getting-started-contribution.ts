// SPDX-License-Identifier: Apache-2.0

import { AbstractViewContribution, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { CommonMenus } from '@theia/core/lib/browser/common-menus';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceContribution, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EXPLORER_VIEW_CONTAINER_ID } from '@theia/navigator/lib/browser';
import { GETTING_STARTED, GettingStartedWidget } from './getting-started-widget';

/** The sample's own settings say that it is the sample. */
export const samplePreferences: PreferenceContribution = {
    schema: {
        properties: {
            [GETTING_STARTED]: {
                type: 'string',
                enum: ['sample', 'project', 'none'],
                default: 'project',
                scope: PreferenceScope.User,
                description: nls.localize(
                    'theia/cli-companion-sample/preferences/gettingStarted',
                    'Which getting-started page opens in a window in which nothing was open yet: that of the sample, that for a project of your own, or none.'
                )
            }
        }
    }
};

export const SHOW_GETTING_STARTED = Command.toLocalizedCommand(
    { id: 'companion.sample.gettingStarted', label: 'Getting Started', category: 'Companion' },
    'theia/cli-companion-sample/gettingStarted/title',
    'theia/cli-companion/category'
);

/** Whether the page opens by itself. */
export async function isShown(preferences: PreferenceService): Promise<boolean> {
    await preferences.ready;
    return preferences.get(GETTING_STARTED) !== 'none';
}

/** Opens the getting-started view by a command, and at the start if nothing was open yet. */
@injectable()
export class GettingStartedContribution extends AbstractViewContribution<GettingStartedWidget> implements FrontendApplicationContribution {
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;

    constructor() {
        super({
            widgetId: GettingStartedWidget.ID,
            widgetName: GettingStartedWidget.LABEL,
            defaultWidgetOptions: { area: 'main' }
        });
    }

    override registerCommands(commands: CommandRegistry): void {
        super.registerCommands(commands);
        commands.registerCommand(SHOW_GETTING_STARTED, { execute: () => this.openView({ activate: true }) });
    }

    override registerMenus(menus: MenuModelRegistry): void {
        super.registerMenus(menus);
        menus.registerMenuAction(CommonMenus.HELP, { commandId: SHOW_GETTING_STARTED.id, order: '0' });
    }

    /** Called where no layout is kept of an earlier start. Takes no focus. */
    async initializeLayout(): Promise<void> {
        if (await isShown(this.preferences)) {
            await this.openView({ reveal: true });
            await this.shell.revealWidget(EXPLORER_VIEW_CONTAINER_ID);
        }
    }
}
