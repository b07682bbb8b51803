// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { CliTerminal, CompanionBackend } from '../../common/companion-protocol';
import { withTimeLimit } from '../window/backend-calls';
import { plainText, withoutIcons } from '../plain-text';
import { listCommands } from '../status/status-text';
import { CompanionConnection } from '../window/companion-connection';
import { promptText } from './prompt-text';

const CALL_LIMIT = 5_000;

/** A terminal of this page whose keys go to a CLI. */
interface Target extends CliTerminal {
    readonly widget: TerminalWidget;
}

/** Types into the prompt of a CLI, and never into a shell: there a line end would run what stands before it. */
@injectable()
export class CliPrompt {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'findCliTerminals'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;

    /** Types the text behind what stands in the prompt, sends nothing off, and gives the terminal the keyboard. */
    async type(textFor: (cli: CliTerminal) => string): Promise<void> {
        const target = await this.choose(await this.targets());
        if (target && !this.waitsForAnswer(target)) {
            target.widget.sendText(promptText(textFor(target)));
            await this.terminals.open(target.widget, { mode: 'activate' });
        }
    }

    /**
     * A CLI that asks whether to apply an edit has no prompt, and silently drops what is pasted then (Qwen Code 0.24, Gemini CLI 0.61).
     */
    protected waitsForAnswer({ displayName }: Target): boolean {
        const { reviews = [], reviewsElsewhere = [] } = this.connection.state ?? {};
        const review = [...reviews, ...reviewsElsewhere].find(({ cliName }) => cliName === displayName);
        if (review) {
            const text = nls.localize(
                'companion/prompt/waits',
                '{0} waits for an answer to its proposal for {1} and takes no other text. Answer it, then try again.',
                displayName,
                review.path
            );
            this.messages.info(plainText(text));
        }
        return review !== undefined;
    }

    protected async targets(): Promise<Target[]> {
        const shells = new Map<number, TerminalWidget>();
        const pids = this.terminals.all.map(async widget => shells.set(await widget.processId, widget));
        await withTimeLimit(Promise.allSettled(pids), CALL_LIMIT, '').catch(() => undefined);
        const found = await withTimeLimit(this.backend.findCliTerminals([...shells.keys()].filter(isPid)), CALL_LIMIT, '').catch(() => []);
        return found.flatMap(cli => {
            const widget = shells.get(cli.shell);
            return widget && takesPastes(widget) ? { ...cli, widget } : [];
        });
    }

    protected async choose(targets: Target[]): Promise<Target | undefined> {
        const used = targets.find(({ widget }) => widget === this.terminals.lastUsedTerminal);
        if (used || targets.length === 1) {
            return used ?? targets[0];
        }
        if (targets.length === 0) {
            const commands = listCommands(this.connection.state?.status.clis ?? []);
            this.messages.info(
                plainText(
                    nls.localize(
                        'companion/prompt/noCli',
                        'No connected CLI has the keyboard in a terminal of this window. Start {0} in one, then try again.',
                        commands
                    )
                )
            );
            return undefined;
        }
        const items = targets.map(target => ({
            label: withoutIcons(target.displayName),
            description: withoutIcons(target.widget.title.label),
            target
        }));
        const placeholder = nls.localize('companion/prompt/choose', 'Which CLI is it for?');
        return (await this.quickPick.show(items, { placeholder }))?.target;
    }
}

/** The CLI, or a shell that has taken its place meanwhile, takes line ends in a paste for text. */
function takesPastes(widget: TerminalWidget): boolean {
    return widget instanceof TerminalWidgetImpl && widget.getTerminal().modes.bracketedPasteMode;
}

function isPid(value: unknown): value is number {
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
