// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import * as path from 'path';
import { WindowState } from '../../common/companion-protocol';
import { Diagnosis } from '../../common/diagnosis';

/** `windowId` is the window whose state is asked for. */
export type BackendCommand = { windowId?: string } & (
    | { do: 'hello'; windowId: string }
    /** Milliseconds in which the process does nothing. */
    | { do: 'block'; ms: number }
    /** Takes every file descriptor that is left, and gives them back. */
    | { do: 'occupy' | 'release' }
    /** Tells the diagnosis of the window, which looks for the CLIs, and gives the window the focus. */
    | { do: 'diagnose' }
    /** A host that does not end at SIGHUP. */
    | { do: 'listenToHangUps' }
    /** The system starts no further program. */
    | { do: 'refuseSpawn' }
    | { do: 'exit' | 'state' }
);

export interface BackendReply {
    /** Where its HOME and TMPDIR are. */
    readonly folder: string;
    readonly state?: WindowState;
    readonly uncaught: readonly string[];
    readonly hangUps: number;
    readonly discovered?: { port: number; token: string };
    readonly diagnosis?: Diagnosis;
}

export interface BackendConditions {
    /** How many files it may have open. */
    readonly descriptors?: number;
    /** Those of its environment that differ from the tests'. */
    readonly variables?: Readonly<Record<string, string | undefined>>;
    /** Options of Node. */
    readonly options?: readonly string[];
}

/** A backend in a process of its own: see `backend-program.ts`. */
export class BackendProcess {
    private constructor(readonly child: ChildProcess) {}

    static start({ descriptors, variables = {}, options = [] }: BackendConditions = {}): BackendProcess {
        const program = [process.execPath, ...options, path.join(__dirname, 'backend-program.js')];
        const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
        // As node-pty leaves its terminals open to the programs that are started next (1.2.0-beta.12).
        const open = 'exec 8< /dev/zero; ';
        const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
        const env = { ...process.env, ...variables };
        return new BackendProcess(spawn('sh', ['-c', `${limit}${open}exec "$@"`, 'sh', ...program], { stdio: [...stdio], env }));
    }

    async run(command: BackendCommand): Promise<BackendReply> {
        const reply = once(this.child, 'message');
        this.child.send(command);
        return ((await reply) as [BackendReply])[0];
    }

    /** Ends it in one way or another. */
    async end(how: NodeJS.Signals | 'exit'): Promise<void> {
        if (this.child.exitCode !== null || this.child.signalCode !== null) {
            return;
        }
        const ended = once(this.child, 'exit');
        if (how === 'exit') {
            this.child.send({ do: 'exit' });
        } else {
            this.child.kill(how);
        }
        await ended;
    }
}
