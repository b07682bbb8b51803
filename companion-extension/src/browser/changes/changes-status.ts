// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { joinSentences } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { changesTitle, describeCount, describeTrouble } from './change-words';
import { PageChanges } from './page-changes';

/** How many files have changed, and what keeps changes from being followed. */
@injectable()
export class ChangesStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(PageChanges)
    protected readonly changes: Pick<PageChanges, 'count' | 'trouble'>;

    sections(): StatusSection[] {
        const { count } = this.changes;
        return [
            {
                id: 'changes',
                order: 20,
                title: changesTitle(),
                rows: [this.counted(), this.trouble()].filter(row => row !== undefined),
                briefs:
                    count > 0
                        ? [{ kind: 'count', rank: 40, text: nls.localize('theia/cli-companion/status/changed', '{0} changed', count) }]
                        : []
            }
        ];
    }

    protected counted(): StatusRow | undefined {
        const { count } = this.changes;
        const label = describeCount(count);
        return count > 0
            ? { id: 'changes', icon: 'git-pull-request-draft', label, sentences: [label], command: CHANGE_COMMANDS.REVIEW_CHANGES.id }
            : undefined;
    }

    /** That the user wants no list is said only while it would have something. */
    protected trouble(): StatusRow | undefined {
        const { trouble } = this.changes;
        if (!trouble || (trouble.code === 'off' && !this.connection.state?.agents.length)) {
            return undefined;
        }
        const { what, advice } = describeTrouble(trouble);
        return {
            id: 'changes trouble',
            icon: 'info',
            label: what,
            detail: advice,
            sentences: [visibleText(joinSentences([what, advice]))],
            command: CHANGE_COMMANDS.SHOW_CHANGES.id
        };
    }
}
