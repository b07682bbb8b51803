// SPDX-License-Identifier: Apache-2.0

import { ServerPlace, SupportedCli } from '../discovery/supported-cli';

/** Where CLIs find a server. */
export interface SharedPlace extends ServerPlace {
    /** If it listens on a socket; its port is 0. */
    readonly socketPath?: string;
}

export const CliServer = Symbol('CliServer');
/** What CLIs connect to that have one server for all windows. It listens from the first open folder until the backend ends. */
export interface CliServer {
    /** `undefined` while it does not listen. */
    readonly server: SharedPlace | undefined;
    serves(cli: SupportedCli): boolean;
    /** Tells its CLIs which folders are open. Never rejects. @returns whether it listens, if it has to */
    publish(): Promise<boolean>;
    stop(): Promise<void>;
}
