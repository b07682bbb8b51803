// SPDX-License-Identifier: Apache-2.0

import { IShellTerminalServerOptions, ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import type { CompanionConnection } from '../window/companion-connection';
import type { WindowIdentity } from '../window/window-identity';

/** How long a terminal waits for the first hello. */
const HELLO_WAIT_MS = 2_000;

/**
 * Tells the backend which window a new shell belongs to: puts the window's id into the shell's environment. It decorates the call that
 * creates shells, because every terminal passes there: new, restored, of a plugin or of a debugger. It never fails a shell.
 */
export class TerminalWindowId {
    /** A terminal has waited without an answer. If the backend is silent, later terminals do not wait again. */
    protected waited = false;

    constructor(
        protected readonly connection: Pick<CompanionConnection, 'ready' | 'greeted' | 'failure'>,
        protected readonly identity: Pick<WindowIdentity, 'windowId'>
    ) {}

    decorate(server: ShellTerminalServerProxy): ShellTerminalServerProxy {
        const create = (options: IShellTerminalServerOptions): Promise<number> => this.create(server, options);
        return new Proxy(server, {
            get: (target, property, receiver) => (property === 'create' ? create : Reflect.get(target, property, receiver))
        });
    }

    protected async create(server: ShellTerminalServerProxy, options: IShellTerminalServerOptions): Promise<number> {
        // A pseudo terminal runs no shell; with a strict environment the caller wants nothing but its own.
        if (options.isPseudo || options.strictEnv) {
            return server.create(options);
        }
        return server.create(await this.addWindowId(options));
    }

    protected async addWindowId(options: IShellTerminalServerOptions): Promise<IShellTerminalServerOptions> {
        try {
            const isKnown = this.connection.greeted || (await this.awaitHello());
            return isKnown ? { ...options, env: { ...options.env, [WINDOW_ID_VARIABLE]: this.identity.windowId } } : options;
        } catch {
            // A terminal whose CLI cannot connect is better than no terminal.
            return options;
        }
    }

    protected async awaitHello(): Promise<boolean> {
        const { ready, failure } = this.connection;
        if (this.waited || failure !== undefined) {
            return false;
        }
        try {
            await withTimeLimit(ready, HELLO_WAIT_MS, 'The companion is not ready.');
            return true;
        } catch {
            this.waited = true;
            return false;
        }
    }
}
