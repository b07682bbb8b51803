// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget, TerminalWidgetOptions } from '@theia/terminal/lib/browser/base/terminal-widget';
import { ShellTerminalProfile } from '@theia/terminal/lib/browser/shell-terminal-profile';
import { TerminalProfile, TerminalProfileService, TerminalProfileStore } from '@theia/terminal/lib/browser/terminal-profile-service';

/** Starts a CLI in a terminal that it makes of these options. `undefined` where the user does not want it after all. */
export type LaunchCli = (options: TerminalWidgetOptions) => Promise<TerminalWidget | undefined>;

/** What "New Terminal (With Profile)…" lists for a CLI. */
export class CliTerminalProfile extends ShellTerminalProfile {
    constructor(
        terminals: TerminalService,
        options: TerminalWidgetOptions,
        protected readonly launch: LaunchCli
    ) {
        super(terminals, options);
    }

    // Theia (1.74) opens nothing where it gets nothing, although it does not say so.
    override start(): Promise<TerminalWidget> {
        return this.launch(this.options) as Promise<TerminalWidget>;
    }

    override modify(options: { cwd?: string | URI }): TerminalProfile {
        return new CliTerminalProfile(this.terminalService, { ...this.options, ...options }, this.launch);
    }
}

/**
 * Registers a profile behind Theia's own: Theia (1.74) takes the first one for the default, of which "New Terminal" makes its terminals
 * (docs/theia-workarounds.md, "A terminal profile of an extension becomes the default").
 */
export async function registerBehind(store: TerminalProfileStore, id: string, profile: TerminalProfile): Promise<void> {
    if (store.all.length === 0) {
        await Event.toPromise(store.onAdded);
    }
    store.registerTerminalProfile(id, profile);
}

/**
 * Gives the default back that a removed profile took with it: Theia (1.74) then takes the one that stood beside it, which may be a CLI.
 *
 * @param chosen the default of the user's preferences
 */
export function keepDefault(profiles: TerminalProfileService, chosen: string | undefined): void {
    if (profiles.defaultProfile instanceof CliTerminalProfile && profiles.getProfile(chosen ?? '') !== profiles.defaultProfile) {
        const other = profiles.all.find(([, profile]) => !(profile instanceof CliTerminalProfile));
        if (other) {
            profiles.setDefaultProfile(other[0]);
        }
    }
}
