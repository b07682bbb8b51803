// SPDX-License-Identifier: Apache-2.0

import { CommandContribution, CommandRegistry, MessageService } from '@theia/core/lib/common';
import { inject, injectable } from '@theia/core/shared/inversify';
import { StatusSection, StatusSectionContribution } from 'theia-cli-companion/lib/browser';

const SHOW_RULES = { id: 'acme.showAgentRules', label: "Acme's Rules for Agents" };

/** A row of the companion's status list, with a command of the product. */
@injectable()
export class AcmeRules implements StatusSectionContribution, CommandContribution {
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(SHOW_RULES, {
            execute: () => this.messages.info('Agents are not told of files in a folder "customers".')
        });
    }

    sections(): StatusSection[] {
        const row = { id: 'acme rules', icon: 'law', label: SHOW_RULES.label, command: SHOW_RULES.id };
        return [{ id: 'acme', order: 60, title: 'Acme', rows: [row] }];
    }
}
