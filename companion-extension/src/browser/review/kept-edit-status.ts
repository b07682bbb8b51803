// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { KeptEdit } from '../../common/companion-protocol';
import { REVIEW_COMMANDS } from './review-command-ids';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { describeDay } from '../window/status-words';
import { WorkspacePaths } from '../window/workspace-paths';
import { describeKeptTime } from './kept-edit-messages';
import { KeptEdits } from './kept-edits';

const DAY_MS = 24 * 3_600_000;

/** The edits that were not written. */
@injectable()
export class KeptEditStatus implements StatusSectionContribution {
    @inject(KeptEdits)
    protected readonly edits: Pick<KeptEdits, 'all'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display' | 'name'>;

    sections(now: number): StatusSection[] {
        const { all } = this.edits;
        if (all.length === 0) {
            return [];
        }
        const text =
            all.length === 1
                ? nls.localize('theia/cli-companion/status/oneEdit', '1 edit kept')
                : nls.localize('theia/cli-companion/status/editsKept', '{0} edits kept', all.length);
        return [
            {
                id: 'edits',
                order: 40,
                title: nls.localize('theia/cli-companion/status/keptEdits', 'Your edits that were not written'),
                sentence: nls.localize('theia/cli-companion/status/droppedCount', 'Your edits that were not written: {0}', all.length),
                rows: all.map(edit => this.row(edit, now)),
                briefs: [{ kind: 'count', rank: 50, text }]
            }
        ];
    }

    protected row(edit: KeptEdit, now: number): StatusRow {
        const until = describeDay(now + edit.daysLeft * DAY_MS);
        return {
            id: `edit ${edit.id}`,
            icon: 'edit',
            label: this.paths.name(edit.path),
            description: `${edit.cliName} · ${describeKeptTime(edit)}`,
            detail: [
                this.paths.display(edit.path),
                ...(edit.folderGone ? [nls.localize('theia/cli-companion/edits/folderGone', 'of a folder that is no longer there')] : []),
                nls.localize('theia/cli-companion/edits/until', 'kept until {0}', until)
            ].join(' · '),
            buttons: [
                {
                    icon: 'trash',
                    tooltip: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                    command: REVIEW_COMMANDS.DISCARD_EDIT.id,
                    args: [edit]
                }
            ],
            command: REVIEW_COMMANDS.SHOW_EDIT.id,
            args: [edit]
        };
    }
}
