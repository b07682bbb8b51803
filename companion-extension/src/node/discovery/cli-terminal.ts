// SPDX-License-Identifier: Apache-2.0

import * as os from 'os';
import { HostEnvironment } from '../host/host-environment';

export type Variables = Readonly<Record<string, string | null | undefined>>;

/** Where a CLI runs or would be started, and how. */
export interface CliTerminal {
    readonly variables: Variables;
    /** The working folder, a real path. */
    readonly folder: string;
    /** All arguments of the CLI's command line; empty if it does not run. */
    readonly command: readonly string[];
}

/** The folder for temporary files, as Node computes it for a process with these variables. */
export function temporaryFolderOf(variables: Variables): string {
    const folder = variables['TMPDIR'] || variables['TMP'] || variables['TEMP'] || '/tmp';
    return folder.length > 1 ? folder.replace(/\/+$/, '') : folder;
}

/** The HOME, as Node computes it for a process with these variables. */
export function homeFolderOf(variables: Variables, host: HostEnvironment): string {
    return variables['HOME'] || host.homeFolder || os.userInfo().homedir;
}
