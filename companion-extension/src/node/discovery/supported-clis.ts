// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { BackendPreferences, NamedAgent } from '../../common/companion-preferences';
import { CliTerminal, ReviewTraits, StartableCli } from '../../common/companion-protocol';
import { Policy } from '../host/policy';
import { programOf } from './command-line';
import { SEEN_AGENTS, SeenAgent } from './seen-agents';
import { SupportedCli } from './supported-cli';

/** A program that works on files for its user: a CLI that is served, or one that is only seen. */
export type KnownAgent = Pick<SupportedCli, 'id' | 'displayName'> & Partial<Pick<SupportedCli, 'titleMarks'>>;

/** The CLIs that are contributed, by their ids. */
@injectable()
export class SupportedClis {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly contributions: ContributionProvider<SupportedCli>;
    @inject(Policy)
    protected readonly policy: Policy;
    /** Agents that the users of the windows name. */
    namedAgents: readonly NamedAgent[] = [];

    /** Those that are served. */
    get all(): readonly SupportedCli[] {
        return this.known.filter(({ id }) => this.policy.serves(id));
    }

    /** Those that the policy forbids. */
    get forbidden(): readonly SupportedCli[] {
        return this.known.filter(({ id }) => !this.policy.serves(id));
    }

    /** Also those that the policy forbids: users can start them, and what they change is listed. */
    get known(): readonly SupportedCli[] {
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

    /** @param command all arguments of a process */
    ofProcess(command: readonly string[], among = this.all): SupportedCli | undefined {
        const [program = ''] = programOf(command);
        const [cli] = namesIn(program).flatMap(name => {
            // One CLI's name may begin with another one's.
            return among.filter(cli => isOf(cli, name)).sort((a, b) => b.command.length - a.command.length);
        });
        return cli;
    }

    /** Whether a client of Claude's family is a CLI that the policy forbids. @param command all arguments of its process; none if it is not known */
    isForbidden(clientName: string, command: readonly string[]): boolean {
        const program = this.ofProcess(command, this.known);
        const named = this.known.filter(cli => cli.clientName === clientName);
        if (program && (named.length === 0 || named.includes(program))) {
            return this.forbidden.includes(program);
        }
        return named.length > 0 && named.every(cli => this.forbidden.includes(cli));
    }

    /** Finds also agents that no server serves. @param command all arguments of a process */
    agentOf(command: readonly string[]): KnownAgent | undefined {
        const [program = '', ...rest] = programOf(command);
        if (SERVICES.includes(rest.find(word => !word.startsWith('-')) ?? '')) {
            return undefined;
        }
        const names = namesIn(program);
        const seen = [...this.namedAgents.map(seenAgent), ...SEEN_AGENTS].find(agent => names.some(name => isProgram(agent, name)));
        return this.ofProcess(command, this.known) ?? (seen && { id: seen.command, displayName: seen.displayName });
    }
}

/** The words by which a program of that name offers something to other programs. */
const SERVICES = ['serve', 'mcp', 'mcp-server'];

function seenAgent(named: NamedAgent): SeenAgent {
    const { command, name = command }: Exclude<NamedAgent, string> = typeof named === 'string' ? { command: named } : named;
    return { command, displayName: name };
}

/** Finds the names by which a word may name a program: the file's base name, and the package that it lies in. */
function namesIn(word: string): string[] {
    const inPackages = word.split('/node_modules/').slice(1).at(-1);
    const [first = '', second = ''] = inPackages?.split('/') ?? [];
    // nix has `.claude-unwrapped`, and `nixpkgs#claude-code`.
    const base = path.basename(word).replace(/^(\.|.*#)/, '');
    return [base, first.startsWith('@') ? second : first];
}

/** Whether a name is the CLI's command, or one of its scripts or packages, as `gemini.js` and `gemini-cli` are. */
function isOf({ command }: Pick<SupportedCli, 'command'>, name: string): boolean {
    return name === command || (name.startsWith(command) && /^[-.]/.test(name.slice(command.length)));
}

/** More exact: there are many, and some have short names. */
function isProgram({ command }: SeenAgent, name: string): boolean {
    return name.startsWith(command) && /^(-(un)?wrapped|\.(m?js|cjs|py|exe))?$/.test(name.slice(command.length));
}
