// SPDX-License-Identifier: Apache-2.0

import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from '../../common/plain-text';

/** The command that it names stays. */
const OFFER_TIME_MS = 30_000;
const STATUS_ELEMENT = 'companion-written';

interface OfferedAction extends Command {
    /** In one or two words. */
    readonly label: string;
    readonly tooltip: string;
    readonly arguments?: unknown[];
}

/** What the status bar says of the last write or undo, with what can be done about it: a message would take the next Escape. */
@injectable()
export class ChangeOffer {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;

    protected timer: NodeJS.Timeout | undefined;

    show(what: string, action: OfferedAction): void {
        void this.statusBar.setElement(STATUS_ELEMENT, {
            text: `${withoutIcons(what)} $(${action.iconClass}) ${withoutIcons(action.label)}`,
            tooltip: `${what}. ${action.tooltip}`,
            name: action.tooltip,
            accessibilityInformation: { label: `${what}. ${action.label}`, role: 'button' },
            alignment: StatusBarAlignment.RIGHT,
            // Beside the companion's element.
            priority: 101,
            command: action.id,
            ...(action.arguments && { arguments: action.arguments })
        });
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.hide(), OFFER_TIME_MS);
    }

    hide(): void {
        clearTimeout(this.timer);
        void this.statusBar.removeElement(STATUS_ELEMENT);
    }
}
