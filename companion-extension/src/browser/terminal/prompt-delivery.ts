// SPDX-License-Identifier: Apache-2.0

import { CliTerminal, Mention } from '../../common/companion-protocol';
import { PromptMention, promptText } from './prompt-text';

/** The text for a prompt. */
export interface PromptContent {
    textFor(cli: CliTerminal): string;
    /** The same, for a CLI that takes mentions; empty where they cannot say it. */
    readonly mentions: Mention[];
}

export interface PromptRoutes<Cli extends CliTerminal> {
    /** True if the CLI took the mentions. */
    mention(cli: Cli, mentions: Mention[]): Promise<boolean>;
    /** True if the CLI has the keyboard of its terminal now, and takes pastes. */
    isThere(cli: Cli): Promise<boolean>;
    send(cli: Cli, text: string): void;
}

/** Puts text into the prompt of a CLI, and never into the shell behind it: there a line break would run what is before it. */
export class PromptDelivery<Cli extends CliTerminal> {
    constructor(protected readonly routes: PromptRoutes<Cli>) {}

    /** @returns `false` if the CLI has ended: nothing was typed */
    async deliver(cli: Cli, { textFor, mentions }: PromptContent): Promise<boolean> {
        // Claude Code (2.1) puts a mention into its prompt without quotes, and then reads no file whose name needs them.
        const takes = cli.takesMentions && mentions.length > 0 && mentions.every(({ path }) => PromptMention.isPlain(path));
        if (takes && (await this.routes.mention(cli, mentions).catch(() => false))) {
            return true;
        }
        // Seconds may have passed since it was found.
        if (!(await this.routes.isThere(cli))) {
            return false;
        }
        this.routes.send(cli, promptText(textFor(cli)));
        return true;
    }
}
