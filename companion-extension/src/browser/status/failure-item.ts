// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { StatusBar, StatusBarAlignment } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ContributionGuard } from '../../common/contribution-guard';

/** Says in the status bar that a part of the companion does not work. It uses none of our services, because any of them may be that part. */
@injectable()
export class FailureItem implements FrontendApplicationContribution {
    @inject(StatusBar)
    protected readonly statusBar: StatusBar;
    @inject(ContributionGuard)
    protected readonly guard: ContributionGuard;

    onStart(): void {
        this.guard.onDidChangeFailures(() => this.update());
        this.update();
    }

    protected update(): void {
        const [cause] = this.guard.failures;
        if (cause === undefined) {
            return;
        }
        const tooltip = nls.localize(
            'theia/cli-companion/status/partFailed',
            'Part of the CLI companion does not work: {0} Reload the page. If that does not help, see the browser console.',
            cause
        );
        void this.statusBar.setElement('companion-failure', {
            text: nls.localize('theia/cli-companion/status/partFailedShort', '$(warning) Companion'),
            tooltip,
            name: nls.localize('theia/cli-companion/status/failureTitle', 'Companion: Failure'),
            accessibilityInformation: { label: tooltip, role: 'status' },
            alignment: StatusBarAlignment.RIGHT,
            priority: 100,
            className: 'companion-status-problem'
        });
    }
}
