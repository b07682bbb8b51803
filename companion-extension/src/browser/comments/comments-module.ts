// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { interfaces } from '@theia/core/shared/inversify';
import { bindMade, bindServices } from '../../common/bind-services';
import { CommentsBackend, commentsPath } from '../../common/comments-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { ChangeGroupContribution } from '../changes/change-group-contribution';
import { DiffContribution } from '../diff/diff-contribution';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { CommentSender } from './comment-sender';
import { CommentsContribution } from './comments-contribution';
import { CommentsStatus } from './comments-status';
import { PageComments } from './page-comments';

export function bindComments(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, CommentSender, CommentsContribution, CommentsStatus, PageComments);
    bindMade<CommentsBackend>(bind, CommentsBackend, container => ServiceConnectionProvider.createProxy(container, commentsPath));
    guard.contribute(bind, FrontendApplicationContribution, PageComments);
    guard.contribute(bind, FrontendApplicationContribution, CommentsContribution);
    guard.contribute(bind, CommandContribution, CommentsContribution, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, CommentsContribution, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, CommentsContribution, 'registerMenus');
    guard.contribute(bind, StatusSectionContribution, CommentsStatus, 'sections');
    guard.contribute(bind, ChangeGroupContribution, CommentsStatus, 'groups');
    guard.contribute(bind, DiffContribution, CommentsContribution, 'buttons', 'stops');
}
