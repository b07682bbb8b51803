// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Variables, variablesIn } from '../discovery/cli-terminal';
import { runs, SupportedCli } from '../discovery/supported-cli';
import { ProcessDetails, ProcessTable } from '../host/process-table';

/** A CLI is few processes away from its shell, and a shell from init. */
const MAX_ANCESTORS = 50;
/** What the CLIs take for a shell (Gemini CLI 0.61, Qwen Code 0.24). */
export const SHELLS = ['zsh', 'bash', 'sh', 'tcsh', 'csh', 'ksh', 'fish', 'dash'];

/** What a CLI has around it in one terminal. */
export interface TerminalFacts {
    readonly variables: Variables;
    /** The working folder, a real path. */
    readonly folder: string;
    readonly umask?: number;
    /** The CLI's processes, the innermost first; empty if none runs. */
    readonly cli: readonly ProcessDetails[];
    /** The innermost process that is known, and those above it. Empty for a new terminal. */
    readonly chain: readonly ProcessDetails[];
}

/**
 * Looks at a shell and at a CLI in it. A variable that was set in a running shell is seen only in what the shell has started since: so a
 * CLI's own variables count, if one runs.
 *
 * @returns `undefined` if the system tells nothing of the shell
 */
export async function readTerminal(
    processes: ProcessTable,
    uid: number | undefined,
    shell: number,
    cli: SupportedCli
): Promise<TerminalFacts | undefined> {
    const details = await processes.details(shell);
    if (!details) {
        return undefined;
    }
    const below = await cliBelow(processes, uid, shell, cli);
    const innermost = below[0] ?? details;
    return {
        variables: variablesIn(innermost.environment),
        folder: innermost.folder,
        umask: innermost.umask,
        cli: below,
        chain: await ancestors(processes, innermost)
    };
}

/**
 * The process that a CLI takes for the IDE, as both compute it on Linux and macOS: the parent of the innermost shell, or that one's parent if
 * it is not init.
 */
export function computeIdePid(chain: readonly ProcessDetails[]): number | undefined {
    const shell = chain.findIndex(({ command }) => SHELLS.includes(nameOf(command)));
    const grandparent = shell === -1 ? chain[chain.length - 1]?.pid : chain[shell + 1]?.parent;
    return grandparent !== undefined && grandparent > 1 ? grandparent : chain[shell]?.parent;
}

function nameOf(command: readonly string[]): string {
    return path.basename((command[0] ?? '').split(' ')[0]);
}

/** A CLI starts itself a second time: the one below connects. */
async function cliBelow(processes: ProcessTable, uid: number | undefined, shell: number, cli: SupportedCli): Promise<ProcessDetails[]> {
    const candidates = await processes.list(uid, command => runs(command, cli));
    let deepest: ProcessDetails[] = [];
    for (const { pid } of candidates.filter(candidate => candidate.pid !== shell)) {
        const details = await processes.details(pid);
        const above = details ? await ancestors(processes, details) : [];
        const end = above.findIndex(ancestor => ancestor.pid === shell);
        if (end > deepest.length) {
            deepest = above.slice(0, end);
        }
    }
    return deepest;
}

async function ancestors(processes: ProcessTable, first: ProcessDetails): Promise<ProcessDetails[]> {
    const chain = [first];
    while (chain.length < MAX_ANCESTORS && chain[chain.length - 1].parent > 1) {
        const next = await processes.details(chain[chain.length - 1].parent);
        if (!next) {
            break;
        }
        chain.push(next);
    }
    return chain;
}
