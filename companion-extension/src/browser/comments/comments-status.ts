// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { Comment } from '../../common/comments-protocol';
import { visibleText } from '../../common/visible-text';
import { ChangeGroupContribution, RowGroup } from '../changes/change-group-contribution';
import { StatusRow, StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { describeDay } from '../window/status-words';
import { WorkspacePaths } from '../window/workspace-paths';
import { COMMENT_COMMANDS } from './comments-command-ids';
import { PageComments } from './page-comments';

const DAY_MS = 24 * 3_600_000;
/** So many days before a comment goes, its row says so. */
const WARNED_DAYS = 3;

/** The comments that wait to be sent, and those that were sent last: in the status, and as a group of the changes. */
@injectable()
export class CommentsStatus implements StatusSectionContribution, ChangeGroupContribution {
    @inject(PageComments)
    protected readonly comments: Pick<PageComments, 'drafts' | 'sent' | 'onDidChange'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display'>;

    get onDidChange(): PageComments['onDidChange'] {
        return this.comments.onDidChange;
    }

    sections(now: number): StatusSection[] {
        const { drafts, sent } = this.comments;
        if (drafts.length + sent.length === 0) {
            return [];
        }
        const count =
            drafts.length === 1
                ? nls.localize('theia/cli-companion/comments/one', '1 comment')
                : nls.localize('theia/cli-companion/comments/count', '{0} comments', drafts.length);
        const label =
            drafts.length > 0
                ? (COMMENT_COMMANDS.SEND_COMMENTS.label ?? '')
                : nls.localize('theia/cli-companion/comments/again', 'Add the Same Comments to CLI Prompt Again');
        const send: StatusRow = { id: 'comments send', icon: 'comment-discussion', label, command: COMMENT_COMMANDS.SEND_COMMENTS.id };
        return [
            {
                id: 'comments',
                order: 45,
                title: titleText(),
                rows: [...[...drafts, ...sent].map(comment => this.row(comment, now)), send],
                briefs: drafts.length > 0 ? [{ kind: 'count', rank: 60, text: count }] : []
            }
        ];
    }

    /** They count in no number of the changes. */
    groups(): readonly RowGroup[] {
        const rows = [...this.comments.drafts, ...this.comments.sent].map(comment => {
            const { id, label, description, buttons, command, args } = this.row(comment, Date.now());
            return { id, uri: comment.uri, description: `${label} · ${description}`, buttons, command, args };
        });
        const { id, label = '' } = COMMENT_COMMANDS.SEND_COMMENTS;
        const send = { icon: 'comment-discussion', tooltip: label, command: id };
        return rows.length > 0 ? [{ id: 'comments', label: titleText(), rows, buttons: [send] }] : [];
    }

    protected row(comment: Comment, now: number): StatusRow {
        const { id, uri, first, text, isSent, daysLeft } = comment;
        const until = nls.localize('theia/cli-companion/edits/until', 'kept until {0}', describeDay(now + daysLeft * DAY_MS));
        const state = isSent ? [nls.localize('theia/cli-companion/comments/sent', 'sent')] : daysLeft <= WARNED_DAYS ? [until] : [];
        return {
            id: `comment ${id}`,
            icon: isSent ? 'check' : 'comment',
            label: visibleText(text.trim().split('\n', 1)[0]),
            description: [`${this.paths.display(new URI(uri).path.fsPath())}:${first}`, ...state].join(' · '),
            buttons: [
                {
                    icon: 'trash',
                    tooltip: nls.localize('theia/cli-companion/comments/discard', 'Discard'),
                    command: COMMENT_COMMANDS.DISCARD_COMMENT.id,
                    args: [comment]
                }
            ],
            command: COMMENT_COMMANDS.OPEN_COMMENT.id,
            args: [comment]
        };
    }
}

function titleText(): string {
    return nls.localize('theia/cli-companion/comments/title', 'Your comments on lines');
}
