// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { PolicySwitch } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { PagePolicy } from '../window/page-policy';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { STATUS_COMMANDS } from './status-command-ids';

/** What the user cannot set. */
@injectable()
export class PolicyStatus implements StatusSectionContribution {
    @inject(PagePolicy)
    protected readonly policy: PagePolicy;

    get onDidChange(): PagePolicy['onDidChange'] {
        return this.policy.onDidChange;
    }

    sections(): StatusSection[] {
        const { preferences, clis, off } = this.policy.state;
        const isOff = nls.localize('theia/cli-companion/policy/off', 'switched off');
        const open = CommonCommands.OPEN_PREFERENCES.id;
        return [
            {
                id: 'policy',
                order: 80,
                title: nls.localize('theia/cli-companion/policy/title', 'Set by your administrator'),
                rows: [
                    ...Object.entries(preferences).map(([name, value]) => row(name, textOf(value), { command: open, args: [name] })),
                    ...[...clis.map(visibleText), ...off.map(nameOf)].map(name =>
                        row(name, isOff, { command: STATUS_COMMANDS.OPEN_SETTINGS.id })
                    )
                ]
            }
        ];
    }
}

function row(label: string, description: string, action: Pick<StatusRow, 'command' | 'args'>): StatusRow {
    const sentence = nls.localize('theia/cli-companion/policy/row', 'Set by your administrator: {0} ({1})', label, description);
    return { id: `policy ${label}`, icon: 'lock', label, description, sentences: [sentence], ariaLabel: sentence, ...action };
}

function textOf(value: unknown): string {
    return visibleText(
        Array.isArray(value) ? value.map(textOf).join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
    );
}

function nameOf(what: PolicySwitch): string {
    switch (what) {
        case 'chat':
            return nls.localize('theia/cli-companion/policy/chat', 'Qwen in the chat');
        case 'uploads':
            return nls.localize('theia/cli-companion/policy/uploads', 'Uploads for CLIs');
        case 'undoWholeFiles':
            return nls.localize('theia/cli-companion/policy/undoWholeFiles', 'Undo of whole files');
    }
}
