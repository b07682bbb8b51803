// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { spokenLabel, withoutIcons } from 'theia-cli-companion/lib/common';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { BackendConnection } from '../connection/backend-connection';
import { DaemonStatus } from '../../common/qwen-daemon-protocol';
import { WaitingPermissions } from '../waiting/waiting-permissions';
import { Locality } from './locality';

const STATUS_BAR_ID = 'qwen-daemon-status';

/** Where the daemon is and how it is, while it is enabled. */
@injectable()
export class DaemonStatusBar implements FrontendApplicationContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(WaitingPermissions)
    protected readonly waiting: WaitingPermissions;

    onStart(): void {
        this.connection.onDidChangeStatus(() => this.update());
        this.waiting.onDidChange(() => this.update());
        this.update();
    }

    protected update(): void {
        const { enabled, status } = this.connection;
        if (!enabled || !status) {
            void this.statusBar.removeElement(STATUS_BAR_ID);
            return;
        }
        if (this.waiting.any) {
            const text = nls.localize('theia/qwen-daemon/waiting/short', 'Qwen waits for you');
            void this.statusBar.setElement(STATUS_BAR_ID, {
                text: `$(bell-dot) ${text}`,
                tooltip: QwenDaemonCommands.SHOW_WAITING.label,
                alignment: StatusBarAlignment.RIGHT,
                priority: 10,
                backgroundColor: 'var(--theia-statusBarItem-warningBackground)',
                color: 'var(--theia-statusBarItem-warningForeground)',
                command: QwenDaemonCommands.SHOW_WAITING.id,
                accessibilityInformation: { label: text }
            });
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
