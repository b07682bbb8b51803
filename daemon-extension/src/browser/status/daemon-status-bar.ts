// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar';
import { inject, injectable } from '@theia/core/shared/inversify';
import { spokenLabel, withoutIcons } from 'theia-cli-companion/lib/common';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { BackendConnection } from '../connection/backend-connection';
import { DaemonStatus } from '../../common/qwen-daemon-protocol';
import { Locality } from './locality';

const STATUS_BAR_ID = 'qwen-daemon-status';

/** Where the daemon is and how it is, while it is enabled. */
@injectable()
export class DaemonStatusBar implements FrontendApplicationContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    onStart(): void {
        this.connection.onDidChangeStatus(() => this.update());
        this.update();
    }

    protected update(): void {
        const { enabled, status } = this.connection;
        if (!enabled || !status) {
            void this.statusBar.removeElement(STATUS_BAR_ID);
            return;
        }
        const details = [...Locality.details(status), Locality.explanation(status)];
        // Of a daemon elsewhere it must not be overlooked.
        const isElsewhere = status.state === 'connected' && status.kind === 'external';
        void this.statusBar.setElement(STATUS_BAR_ID, {
            // Theia looks for icons in the text; what a daemon says must not become one.
            text: `$(${this.icon(status)}) Qwen: ${withoutIcons(isElsewhere ? Locality.place(status) : Locality.states[status.state])}`,
            tooltip: details.join('\n'),
            alignment: StatusBarAlignment.RIGHT,
            priority: 10,
            command: QwenDaemonCommands.SHOW_STATUS.id,
            accessibilityInformation: { label: spokenLabel(details) }
        });
    }

    protected icon({ state, warnings }: DaemonStatus): string {
        switch (state) {
            case 'connecting':
            case 'starting':
            case 'reconnecting':
                return 'sync~spin';
            case 'lost':
            case 'refused':
                return 'error';
            default:
                return warnings.length ? 'warning' : 'sparkle';
        }
    }
}
