// SPDX-License-Identifier: Apache-2.0

import { CommandContribution, MenuContribution } from '@theia/core/lib/common';
import { ContainerModule } from '@theia/core/shared/inversify';
import { ContextFilter, ReviewNotices, StatusSectionContribution } from 'theia-cli-companion/lib/browser';
import { AcmeContextFilter } from './acme-context-filter';
import { AcmeMenu } from './acme-menu';
import { AcmeReviewNotices } from './acme-review-notices';
import { AcmeRules } from './acme-rules';

export default new ContainerModule((bind, _unbind, _isBound, rebind) => {
    bind(AcmeContextFilter).toSelf().inSingletonScope();
    rebind(ContextFilter).toService(AcmeContextFilter);

    rebind(ReviewNotices).to(AcmeReviewNotices).inSingletonScope();

    bind(AcmeMenu).toSelf().inSingletonScope();
    bind(MenuContribution).toService(AcmeMenu);

    bind(AcmeRules).toSelf().inSingletonScope();
    bind(CommandContribution).toService(AcmeRules);
    bind(StatusSectionContribution).toService(AcmeRules);
});
