// SPDX-License-Identifier: Apache-2.0

import { IShellTerminalServerOptions, ShellTerminalServerProxy } from '@theia/terminal/lib/common/shell-terminal-protocol';
import { WINDOW_ID_VARIABLE } from '../../common/companion-protocol';
import { withTimeLimit } from '../clock';

/** How long a terminal waits for the first hello, in milliseconds. */
const LONGEST_WAIT = 2_000;

export interface WindowIdVariableOptions {
    /** Settles when the backend knows the window, which may be never. */
    ready(): Promise<void>;
    windowId(): string;
}

/** Puts the window's id into the environment of each shell that a page has made. Never fails a shell. */
export class WindowIdVariable {
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
            await withTimeLimit(this.options.ready(), LONGEST_WAIT, 'The companion is not ready.');
            return { ...options, env: { ...options.env, [WINDOW_ID_VARIABLE]: this.options.windowId() } };
        } catch {
            // A terminal without a CLI's connection is better than none.
            return options;
        }
    }
}
