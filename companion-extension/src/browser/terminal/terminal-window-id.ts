// SPDX-License-Identifier: Apache-2.0

import { IShellTerminalServerOptions, ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';

/** How long a terminal waits for the first hello, in milliseconds. */
const LONGEST_WAIT = 2_000;

/** Whether the backend knows this window. */
export interface Greeting {
    /** Resolves when it does. It may never settle. */
    readonly ready: Promise<void>;
    readonly greeted: boolean;
    /** Why the newest attempt failed. */
    readonly failure: string | undefined;
}

export interface TerminalWindowIdOptions {
    connection(): Greeting;
    windowId(): string;
}

/**
 * Tells the backend which window a new shell belongs to: puts the window's id into the shell's environment. It decorates the call that
 * creates shells, because every terminal passes there: new, restored, of a plugin or of a debugger. It never fails a shell.
 */
export class TerminalWindowId {
    /** A terminal has waited without an answer. If the backend is silent, later terminals do not wait again. */
    protected waited = false;

    constructor(protected readonly options: TerminalWindowIdOptions) {}

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
            const isKnown = this.options.connection().greeted || (await this.awaitHello());
            return isKnown ? { ...options, env: { ...options.env, [WINDOW_ID_VARIABLE]: this.options.windowId() } } : options;
        } catch {
            // A terminal whose CLI cannot connect is better than no terminal.
            return options;
        }
    }

    protected async awaitHello(): Promise<boolean> {
        const { ready, failure } = this.options.connection();
        if (this.waited || failure !== undefined) {
            return false;
        }
        try {
            await withTimeLimit(ready, LONGEST_WAIT, 'The companion is not ready.');
            return true;
        } catch {
            this.waited = true;
            return false;
        }
    }
}
