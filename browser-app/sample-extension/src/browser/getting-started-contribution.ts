// SPDX-License-Identifier: Apache-2.0

import {
    AbstractViewContribution,
    FrontendApplication,
    FrontendApplicationContribution,
    open,
    OpenerService
} from '@theia/core/lib/browser';
import { Command, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { CommonMenus } from '@theia/core/lib/browser/common-menus';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceContribution, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EXPLORER_VIEW_CONTAINER_ID } from '@theia/navigator/lib/browser';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { GettingStartedWidget, SAMPLE_FILE } from './getting-started-widget';

const AT_START = 'sample.gettingStarted';

/** The sample's own settings switch it on: in a project of the user's, or in a test, nothing opens by itself. */
export const samplePreferences: PreferenceContribution = {
    schema: {
        properties: {
            [AT_START]: {
                type: 'boolean',
                default: false,
                scope: PreferenceScope.User,
                description: nls.localize(
                    'theia/cli-companion-sample/preferences/gettingStarted',
                    'Open the getting-started page and its file in a window in which nothing was open yet.'
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

/** Opens the getting-started view by a command, and at the first start of the sample, where it takes no focus. */
@injectable()
export class GettingStartedContribution extends AbstractViewContribution<GettingStartedWidget> implements FrontendApplicationContribution {
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;

    @inject(OpenerService)
    protected readonly opener: OpenerService;

    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    protected isFirstStart = false;

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

    /** Called where no layout is kept of an earlier start. */
    async initializeLayout(): Promise<void> {
        await this.preferences.ready;
        this.isFirstStart = this.preferences.get(AT_START, false);
        if (this.isFirstStart) {
            await this.openView({ reveal: true });
            await this.shell.revealWidget(EXPLORER_VIEW_CONTAINER_ID);
        }
    }

    /** The file opens behind the view, and the page does not wait for it. */
    onDidInitializeLayout(_app: FrontendApplication): void {
        const file = this.workspace.tryGetRoots()[0]?.resource.resolve(SAMPLE_FILE);
        if (this.isFirstStart && file) {
            void open(this.opener, file, { mode: 'open' }).catch(() => undefined);
        }
    }
}
