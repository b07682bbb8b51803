// SPDX-License-Identifier: Apache-2.0

import { HostEnvironment } from './host-environment';
import { elsewhere, FolderLocation } from './secure-folder';
import { DiscoverySubject } from './supported-cli';
import { workspacePath } from './workspace-path';

export const OWN_TMPDIR = elsewhere('TMPDIR', '$HOME/.tmp');

/** `os.tmpdir()/NAME/ide`, where the specification of September 2025 has the discovery files. */
export function specifiedFolder(host: HostEnvironment, name: string): FolderLocation {
    return { base: host.temporaryFolder, below: [name, 'ide'], symlinks: 'refuse', elsewhere: () => OWN_TMPDIR };
}

/**
 * A CLI takes the parent of the first shell above it for the IDE, or that one's parent where it is not init: so the backend
 * itself, or what started it, or the backend again where the CLI runs in a shell within a shell.
 */
export function idePids(host: HostEnvironment): number[] {
    return host.parentPid > 1 ? [host.pid, host.parentPid] : [host.pid];
}

/** What the specification (section I.3) has in a discovery file. */
export function specifiedContent({ port, roots, token, identity }: DiscoverySubject): Record<string, unknown> {
    return {
        port,
        workspacePath: workspacePath(roots),
        authToken: token,
        ideInfo: { name: identity.name, displayName: identity.displayName }
    };
}
