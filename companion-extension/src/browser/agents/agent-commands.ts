// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { AGENT_COMMANDS } from './agents-command-ids';
import { REVIEWS_WAITING_KEY, WaitingReviews } from '../review/waiting-reviews';
import { PageAgents } from './page-agents';
import { WaitingAgent } from './waiting-agent-contribution';

/** True while a program in a terminal of this page waits, or another agent. */
const AGENTS_WAITING_KEY = 'companionAgentsWaiting';

/** Goes from one program that waits to the next. The key is that of proposals, which come first. */
@injectable()
export class AgentCommands implements CommandContribution, KeybindingContribution {
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(WaitingReviews)
    protected readonly reviews: WaitingReviews;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    @postConstruct()
    protected init(): void {
        const waiting = this.contextKeys.createKey<boolean>(AGENTS_WAITING_KEY, false);
        this.agents.onDidChange(() => waiting.set(this.agents.waiting.length > 0));
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(AGENT_COMMANDS.NEXT_AGENT, {
            isEnabled: () => this.agents.waiting.length > 0,
            execute: () => this.activateNext()
        });
        commands.registerCommand(AGENT_COMMANDS.REVEAL_AGENT, { execute: (reveal: WaitingAgent['reveal']) => reveal() });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        keybindings.registerKeybinding({
            command: AGENT_COMMANDS.NEXT_AGENT.id,
            keybinding: 'ctrl+shift+f8',
            when: `${AGENTS_WAITING_KEY} && !${REVIEWS_WAITING_KEY}`
        });
    }

    protected async activateNext(): Promise<void> {
        const { waiting } = this.agents;
        const current = waiting.findIndex(({ widget }) => widget === this.shell.activeWidget);
        const next = waiting[(current + 1) % waiting.length];
        const review = this.reviews.all.find(({ id }) => id === next?.status.reviewId);
        if (review) {
            await this.reviews.open(review);
        } else {
            await next?.reveal();
        }
    }
}
