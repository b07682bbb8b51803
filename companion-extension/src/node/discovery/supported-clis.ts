// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { CliTerminal, ReviewTraits, StartableCli } from '../../common/companion-protocol';
import { SupportedCli } from './supported-cli';

/** The CLIs that are contributed, by their ids. */
@injectable()
export class SupportedClis {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly contributions: ContributionProvider<SupportedCli>;

    get all(): readonly SupportedCli[] {
        return this.contributions.getContributions();
    }

    /** Those that can be started in a terminal. @param preferences of the window */
    startable(preferences: BackendPreferences): StartableCli[] {
        return this.all.map(cli => {
            const { id, displayName, command, install, newLine } = cli;
            return { id, displayName, command: cli.startCommand?.(preferences) ?? command, install, newLine };
        });
    }

    /** A CLI's name for people. */
    nameOf(cliId: string): string {
        return this.get(cliId)?.displayName ?? cliId;
    }

    /** Tells what a CLI does with proposals, where CLIs differ. */
    traitsOf(cliId: string): ReviewTraits {
        return this.get(cliId)?.reviewTraits ?? {};
    }

    /** How text gets into its prompt. */
    promptOf(cliId: string): Pick<CliTerminal, 'mentionStyle' | 'emptyPrompt'> {
        const { mentionStyle = { form: 'escaped', unread: '' }, emptyPrompt } = this.get(cliId) ?? {};
        return { mentionStyle, ...(emptyPrompt !== undefined && { emptyPrompt }) };
    }

    get(cliId: string): SupportedCli | undefined {
        return this.all.find(({ id }) => id === cliId);
    }

    /** @param command some or all arguments of a process */
    ofProcess(command: readonly string[]): SupportedCli | undefined {
        // An editor with a file of that name is none. The program comes before what a person typed, and one CLI's name may begin with another one's.
        const named = STARTERS.has(path.basename(command[0] ?? '')) ? command : command.slice(0, 1);
        const [cli] = named.flatMap(namesIn).flatMap(name => {
            return this.all.filter(cli => isOf(cli, name)).sort((a, b) => b.command.length - a.command.length);
        });
        return cli;
    }
}

/** Programs that run the one that an argument names. */
const STARTERS = new Set(
    'node nodejs bun bunx deno npm npx pnpm yarn sh bash dash zsh env sudo nice nohup setsid stdbuf time timeout'.split(' ')
);

/** Finds the names by which an argument may name a program: the file's base name, and the package that it lies in. */
function namesIn(argument: string): string[] {
    const inPackages = argument.split('/node_modules/').slice(1).at(-1);
    const [first = '', second = ''] = inPackages?.split('/') ?? [];
    return [path.basename(argument), first.startsWith('@') ? second : first];
}

/** Whether a name is the CLI's command, or one of its scripts or packages, as `gemini.js` and `gemini-cli` are. */
function isOf({ command }: Pick<SupportedCli, 'command'>, name: string): boolean {
    return name === command || (name.startsWith(command) && /^[-.]/.test(name.slice(command.length)));
}
