// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { injectable } from '@theia/core/shared/inversify';
import { visibleText } from '../../common/visible-text';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';

/** What mends one problem of a CLI: a line for its prompt, or for the shell in the terminal that was examined. */
export interface DiagnosedFix {
    readonly cliId: string;
    readonly displayName: string;
    readonly command: string;
    /** The shell's process id; absent if no terminal was examined, or a program reads the keys there. */
    readonly shell: number | undefined;
}

/** What the diagnosis says how to mend, while it is open. */
@injectable()
export class FixStatus implements StatusSectionContribution {
    protected fixes: readonly DiagnosedFix[] = [];
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    set(fixes: readonly DiagnosedFix[]): void {
        this.fixes = fixes;
        this.onDidChangeEmitter.fire();
    }

    sections(): StatusSection[] {
        const title = nls.localize('theia/cli-companion/status/fixes', 'Fixes that the diagnosis found');
        return [{ id: 'fixes', order: 80, title, rows: this.fixes.map(fix => this.row(fix)) }];
    }

    protected row(fix: DiagnosedFix): StatusRow {
        const { cliId, displayName, command } = fix;
        return {
            id: `fix ${cliId} ${command}`,
            icon: 'wrench',
            label: visibleText(command),
            description: displayName,
            detail: this.describeEnter(fix),
            command: SHARED_COMMANDS.TYPE_FIX.id,
            args: [fix]
        };
    }

    protected describeEnter({ command, displayName, shell }: DiagnosedFix): string {
        if (command.startsWith('/')) {
            return nls.localize('theia/cli-companion/status/typesIntoPrompt', 'Enter types it into the prompt of {0}.', displayName);
        }
        return shell === undefined
            ? nls.localize('theia/cli-companion/status/copiesFix', 'Enter copies it, for a shell.')
            : nls.localize('theia/cli-companion/status/typesFix', 'Enter types it into the terminal that was examined.');
    }
}
