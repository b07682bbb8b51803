// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { Comment, CommentDraft, CommentLimits, CommentsBackend } from '../../common/comments-protocol';
import { PageConnection } from '../server/page-connection';
import { Comments } from './comments';
import { isCommentId, isDraft } from './stored-comment';

/** What a page calls about the comments of its workspace. */
@injectable()
export class CommentsService implements CommentsBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Comments)
    protected readonly comments: Comments;

    async saveComment(draft: CommentDraft, isMoved?: boolean): Promise<void> {
        const { window } = this.connection;
        if (!isDraft(draft)) {
            throw new Error('This is no comment, or it is too long');
        }
        await this.comments.save(window, draft, isMoved === true);
    }

    async discardComment(id: string): Promise<void> {
        await this.comments.discard(this.connection.window, id);
    }

    async listComments(): Promise<Comment[]> {
        return this.comments.list(this.connection.window);
    }

    async markCommentsSent(ids: string[]): Promise<void> {
        const { window } = this.connection;
        if (!Array.isArray(ids) || ids.length > CommentLimits.stored || !ids.every(isCommentId)) {
            throw new Error('These are no comments');
        }
        await this.comments.markSent(window, ids);
    }
}
