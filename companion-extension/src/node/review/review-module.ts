// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { bindMade, bindServices } from '../../common/bind-services';
import { reviewPath } from '../../common/review-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { FileInspector } from '../host/file-inspector';
import { bindPageService } from '../server/bind-page-service';
import { WindowDiffsFactory } from '../server/window';
import { WindowFeature } from '../server/window-feature';
import { Windows } from '../server/windows';
import { EditFiles } from './edit-files';
import { FileTexts } from './file-texts';
import { ReviewRouting } from './review-routing';
import { ReviewService } from './review-service';
import { Reviews } from './reviews';
import { WindowReviews } from './window-reviews';

export function bindReview(bind: interfaces.Bind): void {
    bindServices(bind, EditFiles, ReviewRouting);
    // Asks the windows and the routing, which need it, only later.
    bindMade(
        bind,
        Reviews,
        container =>
            new Reviews({
                files: new FileTexts(container.get(FileAccess)),
                inspector: container.get(FileInspector),
                store: container.get(EditFiles),
                nameOf: owner => container.get(Windows).nameOf(owner),
                traitsOf: id => container.get(SupportedClis).traitsOf(id),
                concerns: edit => container.get(ReviewRouting).concerns(edit),
                isPrivate: review => container.get(ReviewRouting).isPrivate(review)
            })
    );
    bindMade<WindowDiffsFactory>(bind, WindowDiffsFactory, container => window => {
        const [reviews, routing, fileAccess] = [container.get(Reviews), container.get(ReviewRouting), container.get(FileAccess)];
        return new WindowReviews(window, reviews, routing, fileAccess);
    });
    bind(WindowFeature).toService(ReviewRouting);
    bindPageService(bind, reviewPath, ReviewService);
}
