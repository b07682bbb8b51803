// SPDX-License-Identifier: Apache-2.0

import { MAIN_MENU_BAR, MenuContribution, MenuModelRegistry } from '@theia/core/lib/common';
import { injectable } from '@theia/core/shared/inversify';
import { CompanionCommands } from 'theia-cli-companion/lib/browser';

const ACME_MENU = [...MAIN_MENU_BAR, '8_acme'];

/** A menu of the companion's commands. That to run Acme Agent is there as for every `SupportedCli`. */
@injectable()
export class AcmeMenu implements MenuContribution {
    registerMenus(menus: MenuModelRegistry): void {
        menus.registerSubmenu(ACME_MENU, 'Acme');
        const runAgent = CompanionCommands.run({ id: 'acme-agent', displayName: 'Acme Agent' });
        for (const { id } of [runAgent, CompanionCommands.NEXT_REVIEW, CompanionCommands.SHOW_STATUS]) {
            menus.registerMenuAction(ACME_MENU, { commandId: id });
        }
    }
}
