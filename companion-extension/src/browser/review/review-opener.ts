// SPDX-License-Identifier: Apache-2.0

import { OpenHandler } from '@theia/core/lib/browser/opener-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorOpenerOptions } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';

/** Above the editor's own, also that of one that is preferred for a file. */
const PRIORITY = 100_000;

/** Opens the diff where the proposal alone is asked for, such as by a problem in it: nobody would read there what is typed. */
@injectable()
export class ReviewOpener implements OpenHandler {
    readonly id = 'companion-review-opener';

    @inject(PageReviews)
    protected readonly reviews: Pick<PageReviews, 'get'>;
    @inject(ReviewEditors)
    protected readonly editors: Pick<ReviewEditors, 'activate' | 'widgetsOf'>;

    canHandle(uri: URI): number {
        return uri.scheme === PROPOSED_SCHEME ? PRIORITY : 0;
    }

    async open(uri: URI, options?: EditorOpenerOptions): Promise<EditorWidget> {
        const review = this.reviews.get(ReviewUris.reviewIdOf(uri));
        if (review) {
            await this.editors.activate(review);
        }
        const [widget] = review ? this.editors.widgetsOf(review.id) : [];
        if (!widget) {
            throw new Error('The review is no longer waiting.');
        }
        const { start, end = start } = options?.selection ?? {};
        if (start?.line !== undefined) {
            const from = { line: start.line, character: start.character ?? 0 };
            const range = { start: from, end: { line: end?.line ?? from.line, character: end?.character ?? from.character } };
            widget.editor.selection = { ...range, direction: 'ltr' };
            widget.editor.revealRange(range);
        }
        return widget;
    }
}
