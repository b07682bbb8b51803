// SPDX-License-Identifier: Apache-2.0

import { Lookup } from '../discovery/found-files';
import { CliConfiguration, DiscoveryFile, SupportedCli } from '../discovery/supported-cli';
import { HostEnvironment } from '../host/host-environment';
import { StrandedCli } from '../terminal/stranded-clis';
import { IdePid, TerminalFacts } from './terminal-facts';

/** A window, as far as the doctor must know it. */
export interface DoctorWindow {
    /** `companion.enabled` in this window. */
    readonly enabled: boolean;
    readonly server: { readonly port: number; readonly roots: readonly string[] } | undefined;
    /** Real paths of the open folders. */
    readonly roots: readonly string[];
    /** The ports of all servers of this backend. */
    readonly ports: ReadonlySet<number>;
    /** Processes that are connected to what this window serves, by the ids of their CLIs. */
    readonly connected: ReadonlyArray<{ readonly cliId: string; readonly pid: number }>;
}

/** One CLI in one terminal, and all that was read of it. */
export interface Examination {
    readonly cli: SupportedCli;
    readonly host: HostEnvironment;
    readonly window: DoctorWindow;
    readonly terminal: TerminalFacts;
    readonly idePid: IdePid | undefined;
    readonly lookup: Lookup;
    /** What the companion publishes for this CLI; empty if that cannot be told. */
    readonly published: readonly DiscoveryFile[];
    /** `undefined` if the CLI's class does not tell. */
    readonly configuration: CliConfiguration | undefined;
    /** CLIs of this kind that run on without a server. */
    readonly stranded: readonly StrandedCli[];
}
