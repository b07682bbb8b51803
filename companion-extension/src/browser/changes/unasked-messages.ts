// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { listOf } from '../../common/sentences';
import { CompanionCommands } from '../companion-commands';
import { ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { TabMemory } from '../window/tab-memory';
import { PageChanges } from './page-changes';

const STORAGE_KEY = 'companion.unaskedTold';
/** Stands for files of which no CLI has said that it wrote them. */
const NOBODY = '';
/** How long a CLI may take to say that it was it. */
const HOOK_WAIT_MS = 2_000;

/** Says that files are edited without a diff: once in a tab for each CLI that says so itself, and once if none does. */
@injectable()
export class UnaskedMessages implements FrontendApplicationContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state' | 'onDidChangeState'>;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'files' | 'onDidChange'>;
    @inject(ClosableMessages)
    protected readonly messages: Pick<ClosableMessages, 'show'>;
    @inject(CommandService)
    protected readonly commands: Pick<CommandService, 'executeCommand'>;

    protected readonly told = new Set(TabMemory.readIds(STORAGE_KEY));
    protected waiting: number | undefined;
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([this.connection.onDidChangeState(() => this.update()), this.changes.onDidChange(() => this.update())]);
    }

    onStop(): void {
        this.toDispose.dispose();
        window.clearTimeout(this.waiting);
    }

    protected update(): void {
        for (const { cliName } of this.connection.state?.changes.unasked ?? []) {
            if (this.tell(cliName)) {
                // It says so itself: nothing is left to guess.
                this.tell(NOBODY);
                void this.showCli(cliName);
            }
        }
        if (!this.told.has(NOBODY) && this.hasUnnamed) {
            this.waiting ??= window.setTimeout(() => {
                this.waiting = undefined;
                if (this.hasUnnamed && this.tell(NOBODY)) {
                    void this.showUnnamed();
                }
            }, HOOK_WAIT_MS);
        }
    }

    protected get hasUnnamed(): boolean {
        return this.changes.files.some(({ authors, committed }) => authors.length === 0 && !committed);
    }

    /** @returns false if it was told before */
    protected tell(cliName: string): boolean {
        const isNews = !this.told.has(cliName);
        this.told.add(cliName);
        TabMemory.write(STORAGE_KEY, JSON.stringify([...this.told]));
        return isNews;
    }

    protected async showCli(cliName: string): Promise<void> {
        const review = nls.localize('theia/cli-companion/unasked/review', 'Review Its Changes');
        const how = nls.localize('theia/cli-companion/unasked/how', 'How to Make It Ask');
        const text = nls.localize('theia/cli-companion/unasked/cli', '{0} edits without asking.', cliName);
        const answer = await this.messages.show('info', text, review, how).answer;
        if (answer === review) {
            await this.commands.executeCommand(CompanionCommands.SHOW_CHANGES.id);
        } else if (answer === how) {
            this.messages.show(
                'info',
                nls.localize(
                    'theia/cli-companion/unasked/makeItAsk',
                    'Press Shift+Tab in the terminal of {0} until it no longer says that it accepts edits by itself. ' +
                        'Started by "Run {0}", it asks from the beginning.',
                    cliName
                )
            );
        }
    }

    protected async showUnnamed(): Promise<void> {
        const { agents = [], status } = this.connection.state ?? {};
        const names = [
            ...new Set([...agents.flatMap(({ name }) => name ?? []), ...(status?.connections ?? []).map(cli => cli.displayName)])
        ];
        const review = nls.localize('theia/cli-companion/unasked/reviewAll', 'Review Changes');
        const text =
            names.length === 0
                ? nls.localize('theia/cli-companion/unasked/outside', 'Files changed outside the editor.')
                : nls.localize('theia/cli-companion/unasked/while', 'Files changed outside the editor while {0} runs.', listOf(names));
        if ((await this.messages.show('info', text, review).answer) === review) {
            await this.commands.executeCommand(CompanionCommands.SHOW_CHANGES.id);
        }
    }
}
