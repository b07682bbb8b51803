// SPDX-License-Identifier: Apache-2.0

import { KnownAgent } from '../discovery/supported-clis';
import { ScannedProcess } from '../host/process-table';
import { Foreground } from './terminal-agent';

/** An agent below a terminal's shell. */
export interface FoundAgent {
    readonly pid: number;
    readonly cli: KnownAgent;
    /** It belongs to what has the keyboard, also in a terminal of its own, as below `script`. */
    readonly isInFront: boolean;
    readonly isStopped: boolean;
}

/** Which agents run in terminals, as one scan of the processes has it. */
export class ProcessTree {
    protected readonly processes: ReadonlyMap<number, ScannedProcess>;
    /** By their parents. */
    protected readonly children = new Map<number, ScannedProcess[]>();

    /** @param agentOf judges a process by its own command line */
    constructor(
        scanned: readonly ScannedProcess[],
        protected readonly agentOf: (command: readonly string[]) => KnownAgent | undefined
    ) {
        this.processes = new Map(scanned.map(process => [process.pid, process]));
        for (const process of scanned) {
            const siblings = this.children.get(process.parent) ?? [];
            this.children.set(process.parent, siblings);
            siblings.push(process);
        }
    }

    /** What an agent starts is none of its own. */
    agentsIn(shell: number): FoundAgent[] {
        const foregroundGroup = this.processes.get(shell)?.foregroundGroup ?? 0;
        const found: FoundAgent[] = [];
        const visit = (parent: number, isParentInFront: boolean): void => {
            for (const { pid, processGroup, command, isStopped } of this.children.get(parent) ?? []) {
                const cli = this.agentOf(command);
                const isInFront = isParentInFront || processGroup === foregroundGroup;
                if (cli) {
                    found.push({ pid, cli, isInFront, isStopped });
                } else {
                    visit(pid, isInFront);
                }
            }
        };
        visit(shell, false);
        const running = found.filter(({ isStopped }) => !isStopped);
        // The system does not say who has the keyboard, as with gVisor. With two, each might.
        return foregroundGroup <= 0 && running.length === 1 ? [{ ...running[0], isInFront: true }] : found;
    }

    /** What is in front of a terminal, where its first process does not tell. @param group the process group that has the keyboard, if the system says */
    inFront(shell: number, group: number | undefined): Foreground | undefined {
        const foregroundGroup = this.processes.get(shell)?.foregroundGroup;
        if (foregroundGroup === undefined || (foregroundGroup > 0 ? foregroundGroup : undefined) !== group) {
            return undefined;
        }
        const agent = this.agentsIn(shell).find(({ isInFront }) => isInFront);
        const isAlone = group === undefined && !this.children.has(shell);
        return agent
            ? { pid: agent.pid, isShell: false, cli: agent.cli }
            : isAlone
              ? { pid: shell, isShell: true, cli: undefined }
              : undefined;
    }
}
