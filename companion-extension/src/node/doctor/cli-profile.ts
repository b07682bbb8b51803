// SPDX-License-Identifier: Apache-2.0

import { HostEnvironment } from '../host/host-environment';
import { CliSettings, SettingsFiles } from './cli-settings';
import { Lookup } from './found-files';
import { TerminalFacts, Variables } from './terminal-facts';

/** What a CLI's search for an IDE starts from. */
export interface Search {
    readonly terminal: TerminalFacts;
    readonly host: HostEnvironment;
    /** The process that the CLI takes for the IDE, if it can be computed. */
    readonly idePid: number | undefined;
}

/** How one CLI behaves, as far as it decides whether it connects. Each says which version it was read from. */
export interface CliProfile {
    readonly cliId: string;
    /** The first version that finds this companion. */
    readonly minimumVersion: string;
    /** What installs it, for a shell. */
    readonly install: string;
    /** What a user types into it to trust the folder. */
    readonly trustCommand: string;
    /** The variable that names the IDE's process, if the CLI heeds one. */
    readonly pidVariable?: string;
    /** Whether it looks for an IDE on another host when it runs in a container. */
    readonly leavesContainer: boolean;
    /** Whether it says so if it finds files for other folders only; otherwise it takes the IDE for none that it knows. */
    readonly saysMismatch: boolean;
    /** Which of the folders that differ keep it from the discovery files. */
    readonly folderVariable: 'TMPDIR' | 'HOME';
    /** Where it looks for discovery files, and which of them it takes. Changes nothing. */
    find(search: Search): Promise<Lookup>;
    settingsFiles(variables: Variables, host: HostEnvironment, folder: string): Promise<SettingsFiles>;
    /** @param settings without those of a workspace that is not trusted @param args the CLI's command line, if it runs */
    approvalMode(settings: (name: string) => unknown, args: readonly string[]): ApprovalMode;
    /** `undefined` if the user has not decided. */
    trust(settings: CliSettings, variables: Variables, host: HostEnvironment, folder: string): Promise<boolean | undefined>;
}

export interface ApprovalMode {
    readonly name: string;
    /** Whether it asks before it edits, so that there is a diff. */
    readonly asks: boolean;
    /** What makes it ask, for a person at its command line or in its settings. */
    readonly mend: string;
}
