// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution, OpenHandler } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { TabBarToolbarContribution } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution } from '@theia/core/lib/common/command';
import { MenuContribution } from '@theia/core/lib/common/menu';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { interfaces } from '@theia/core/shared/inversify';
import { MonacoEditorProvider } from '@theia/monaco/lib/browser/monaco-editor-provider';
import { MonacoEditorModelFactory } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { bindMade, bindServices } from '../../common/bind-services';
import { SystemClock } from '../../common/clock';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ContributionGuard } from '../../common/contribution-guard';
import { ReviewBackend, reviewPath } from '../../common/review-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { TheiaInternals } from '../window/theia-internals';
import { WindowIdentity } from '../window/window-identity';
import { KeptEditMessages } from './kept-edit-messages';
import { KeptEditStatus } from './kept-edit-status';
import { KeptEdits } from './kept-edits';
import { PageReviews } from './page-reviews';
import { ReviewBars } from './review-bars';
import { ReviewCommands } from './review-commands';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewNotices } from './review-notices';
import { ReviewOpener } from './review-opener';
import { releaseReviewEditors } from './review-openers';
import { ReviewModelFactory, ReviewResourceResolver } from './review-resource-resolver';
import { ReviewStatus } from './review-status';
import { ORIGINAL_SCHEME, PROPOSED_SCHEME } from './review-uris';
import { ReviewsContribution } from './reviews-contribution';
import { StrandedTexts } from './stranded-texts';
import { SyncedModels } from './synced-models';
import { UnsentTexts } from './unsent-texts';
import { WaitingReviews } from './waiting-reviews';
import { WrittenFiles } from './written-files';

export function bindReview(bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bindServices(bind, KeptEditMessages, KeptEditStatus, KeptEdits, ReviewBars, ReviewCommands, ReviewEditors, ReviewFocus);
    bindServices(bind, ReviewMessages, ReviewModelFactory, ReviewNotices, ReviewOpener, ReviewResourceResolver, ReviewStatus);
    bindServices(bind, ReviewsContribution, StrandedTexts, SyncedModels, WaitingReviews, WrittenFiles);
    bindMade<ReviewBackend>(bind, ReviewBackend, container => ServiceConnectionProvider.createProxy(container, reviewPath));
    bindMade(bind, UnsentTexts, container => {
        const connection = container.get(CompanionConnection);
        return new UnsentTexts(() => connection.state?.installation);
    });
    bindMade(bind, PageReviews, container => {
        const preferences = container.get<CompanionPreferences>(CompanionPreferences);
        return new PageReviews({
            page: container.get(WindowIdentity).loadId,
            clock: new SystemClock(),
            calls: container.get(CompanionConnection).calls,
            backend: container.get<ReviewBackend>(ReviewBackend),
            views: () => container.get(ReviewEditors),
            store: container.get(UnsentTexts),
            onTabClose: () => preferences['companion.review.onTabClose'],
            opensByItself: () => preferences['companion.review.open'] !== 'never'
        });
    });
    for (const scheme of [ORIGINAL_SCHEME, PROPOSED_SCHEME]) {
        bind<MonacoEditorModelFactory>(MonacoEditorModelFactory).toDynamicValue(({ container }) => ({
            scheme,
            createModel: resource => guard.get(container, ReviewModelFactory).createModel(resource)
        }));
    }
    onActivation<MonacoEditorProvider>(MonacoEditorProvider, ({ container }, provider) => {
        try {
            return releaseReviewEditors(provider, container.get(TheiaInternals));
        } catch {
            // Closed reviews then stay in memory, but every editor opens.
            return provider;
        }
    });
    guard.contribute(bind, ResourceResolver, ReviewResourceResolver);
    guard.contribute(bind, OpenHandler, ReviewOpener, 'canHandle', 'open');
    for (const service of [ReviewBars, ReviewMessages, WrittenFiles, ReviewsContribution, KeptEdits, SyncedModels]) {
        guard.contribute(bind, FrontendApplicationContribution, service);
    }
    guard.contribute(bind, CommandContribution, KeptEdits, 'registerCommands');
    guard.contribute(bind, CommandContribution, ReviewCommands, 'registerCommands');
    guard.contribute(bind, CommandContribution, StrandedTexts, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, KeptEdits, 'registerKeybindings');
    guard.contribute(bind, KeybindingContribution, ReviewCommands, 'registerKeybindings');
    guard.contribute(bind, MenuContribution, ReviewCommands, 'registerMenus');
    guard.contribute(bind, TabBarToolbarContribution, ReviewCommands, 'registerToolbarItems');
    guard.contribute(bind, StatusSectionContribution, ReviewStatus, 'sections');
    guard.contribute(bind, StatusSectionContribution, KeptEditStatus, 'sections');
    guard.contribute(bind, StatusSectionContribution, StrandedTexts, 'sections');
}
