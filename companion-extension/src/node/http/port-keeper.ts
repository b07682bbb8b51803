// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import { readdirSync } from 'fs';
import { Server } from 'net';
import { Writable } from 'stream';

export const PortTimings = {
    /** For how long a port stays taken when its server has ended. Claude Code asks again for about 40 s (2.1.332), the others for 3 s. */
    keptMs: 60_000
};

/**
 * Closes each connection at once, and ends after a while. One that is left waiting would be cut when the port is free, and its client would
 * come again just then (Qwen Code 0.24.4, Claude Code 2.1.332).
 */
const CLOSE_ALL = "require('net').createServer(socket => socket.destroy()).listen({ fd: 4 }); setTimeout(process.exit, process.argv[1])";
/** It reads until the other end of the pipe is gone, or says that the port is given up. A shell in the background has no standard input. */
const WAIT = '{ read -r end || "$0" -e "$1" "$2" || exec sleep 60; } <&3 3<&- &';

/**
 * Keeps a port taken after any end of this process, also one by SIGKILL: CLIs go on asking there, with their token, and would believe whoever
 * listens next. A shell has the listening socket and the end of a pipe. When the pipe breaks, the shell closes what comes for a minute.
 *
 * It is no child of this process, since Theia ends those with it (1.74), and in a session of its own, so that Ctrl+C does not reach it.
 */
export class PortKeeper {
    protected readonly pipe: Writable | undefined;

    /** @param handleFailure without a keeper the port is free when this process ends, as on Windows */
    constructor(server: Server, handleFailure: () => void) {
        try {
            // Not public, but what Node itself hands on to the workers of a cluster.
            const { fd: port } = (server as unknown as { _handle: { fd: number } })._handle;
            // In the place of each other one that it might inherit: node-pty leaves terminals open to new processes (1.2.0-beta.12), whose shells
            // would not end with the IDE.
            const last = Math.max(...readdirSync('/dev/fd').map(Number));
            const shell = spawn('/bin/sh', ['-c', WAIT, process.execPath, CLOSE_ALL, String(PortTimings.keptMs)], {
                stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...Array<number>(last - 3).fill(port)],
                env: { PATH: '/usr/bin:/bin', ELECTRON_RUN_AS_NODE: '1' },
                cwd: '/',
                detached: true
            });
            shell.once('error', handleFailure).unref();
            this.pipe = shell.stdio[3] as Writable | undefined;
            // Somebody may have ended it.
            this.pipe?.on('error', () => undefined);
            (this.pipe as { unref?(): void } | undefined)?.unref?.();
        } catch {
            handleFailure();
        }
    }

    /** Gives the port up, as far as the keeper has it. */
    end(): void {
        this.pipe?.end('\n');
    }
}
