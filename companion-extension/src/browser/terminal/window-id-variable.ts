// SPDX-License-Identifier: Apache-2.0

import { IShellTerminalServerOptions, ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { withTimeLimit } from '../clock';

/** How long terminals wait for the first hello, in milliseconds. */
const LONGEST_WAIT = 2_000;

/** Whether the backend knows this window. */
export interface Greeting {
    /** Settles when it does, which may be never. */
    readonly ready: Promise<void>;
    readonly greeted: boolean;
    /** Why the newest attempt failed. */
    readonly failure: string | undefined;
}

export interface WindowIdVariableOptions {
    connection(): Greeting;
    windowId(): string;
}

/** Puts the window's id into the environment of each shell that a page has made. Never fails a shell. */
export class WindowIdVariable {
    /** A terminal has waited in vain: a backend that is silent must not cost every later one the same. */
    private waited = false;

    constructor(private readonly options: WindowIdVariableOptions) {}

    decorate(server: ShellTerminalServerProxy): ShellTerminalServerProxy {
        const create = (options: IShellTerminalServerOptions): Promise<number> => this.create(server, options);
        return new Proxy(server, {
            get: (target, property, receiver) => (property === 'create' ? create : Reflect.get(target, property, receiver))
        });
    }

    private async create(server: ShellTerminalServerProxy, options: IShellTerminalServerOptions): Promise<number> {
        // A pseudo terminal runs no shell; with a strict environment the caller wants nothing but its own.
        if (options.isPseudo || options.strictEnv) {
            return server.create(options);
        }
        return server.create(await this.addWindowId(options));
    }

    private async addWindowId(options: IShellTerminalServerOptions): Promise<IShellTerminalServerOptions> {
        try {
            const isKnown = this.options.connection().greeted || (await this.awaitHello());
            return isKnown ? { ...options, env: { ...options.env, [WINDOW_ID_VARIABLE]: this.options.windowId() } } : options;
        } catch {
            // A terminal without a CLI's connection is better than none.
            return options;
        }
    }

    private async awaitHello(): Promise<boolean> {
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
