// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution, WidgetFactory } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution } from '@theia/core/lib/common/command';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { interfaces } from '@theia/core/shared/inversify';
import { bindMade, bindServices } from '../../common/bind-services';
import { ChangesBackend, changesPath } from '../../common/changes/changes-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { ChangeDiffs } from './change-diff';
import { ChangeGroupContribution } from './change-group-contribution';
import { ChangeOffer } from './change-offer';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeUndo } from './change-undo';
import { ChangesContribution } from './changes-contribution';
import { ChangesStatus } from './changes-status';
import { CHANGES_VIEW_ID, ChangesView } from './changes-view';
import { InEditorChanges } from './in-editor-changes';
import { PageChanges } from './page-changes';
import { PastDiffs } from './past-diffs';
import { ReviewAll } from './review-all';
import { REVIEW_ALL_ID, ReviewAllWidget } from './review-all-widget';
import { TurnContribution } from './turn-contribution';
import { UnaskedMessages } from './unasked-messages';
import { UndoTime } from './undo-time';

export function bindChanges(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, ChangeDiffs, ChangeOffer, ChangeOutcomes, ChangeUndo, ChangesContribution, ChangesStatus, PageChanges);
    bindServices(bind, InEditorChanges, PastDiffs, ReviewAll, TurnContribution, UnaskedMessages, UndoTime);
    bindRootContributionProvider(bind, ChangeGroupContribution);
    bindMade<ChangesBackend>(bind, ChangesBackend, container => ServiceConnectionProvider.createProxy(container, changesPath));
    bind(WidgetFactory).toDynamicValue(({ container }) => ({
        id: CHANGES_VIEW_ID,
        createWidget: () => ChangesView.create(container)
    }));
    bind(ReviewAllWidget).toSelf();
    bind(WidgetFactory).toDynamicValue(({ container }) => ({ id: REVIEW_ALL_ID, createWidget: () => container.get(ReviewAllWidget) }));
    guard.contribute(bind, ResourceResolver, ChangeDiffs);
    guard.contribute(bind, ResourceResolver, PastDiffs);
    for (const service of [PageChanges, ChangeOffer, ChangeDiffs, ChangesContribution, InEditorChanges, UnaskedMessages]) {
        guard.contribute(bind, FrontendApplicationContribution, service);
    }
    guard.contribute(bind, CommandContribution, ChangesContribution, 'registerCommands');
    guard.contribute(bind, CommandContribution, ReviewAll, 'registerCommands');
    guard.contribute(bind, CommandContribution, TurnContribution, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, ChangesContribution, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, ChangesContribution, 'registerMenus');
    guard.contribute(bind, CommandContribution, InEditorChanges, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, InEditorChanges, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, InEditorChanges, 'registerMenus');
    guard.contribute(bind, MenuContribution, TurnContribution, 'registerMenus');
    guard.contribute(bind, TabBarToolbarContribution, ChangesContribution, 'registerToolbarItems');
    guard.contribute(bind, TabBarToolbarContribution, ReviewAll, 'registerToolbarItems');
    guard.contribute(bind, StatusSectionContribution, ChangesStatus, 'sections');
}
