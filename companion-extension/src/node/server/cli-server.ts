// SPDX-License-Identifier: Apache-2.0

import { ServerPlace, SupportedCli } from '../discovery/supported-cli';
import { GatedRoutes } from '../http/gated-application';
import { RefusalLog } from '../http/refusal-log';
import { SessionWindow } from './cli-session';
import type { CliSessions } from './cli-sessions';

/** How a server introduces itself to MCP clients. A test keeps it equal to the package. */
export const SERVER_INFO = { name: 'theia-cli-companion', version: '0.1.0' } as const;

/** A window's own server, as its dialect needs it. */
export interface DialectServer {
    readonly port: number;
    readonly sessions: CliSessions;
    readonly refusals: RefusalLog;
}

export const WindowDialect = Symbol('WindowDialect');
/** What those CLIs speak that connect to a window's own server. */
export interface WindowDialect {
    /** Answers the requests that pass the gate. The sessions that they begin join those of the server. */
    routesOf(window: SessionWindow, server: DialectServer): GatedRoutes;
}

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
