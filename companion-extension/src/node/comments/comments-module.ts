// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { commentsPath } from '../../common/comments-protocol';
import { bindPageService } from '../server/bind-page-service';
import { WindowFeature } from '../server/window-feature';
import { CommentFiles } from './comment-files';
import { Comments } from './comments';
import { CommentsService } from './comments-service';

export function bindComments(bind: interfaces.Bind): void {
    bindServices(bind, CommentFiles, Comments);
    bind(WindowFeature).toService(Comments);
    bindPageService(bind, commentsPath, CommentsService);
}
