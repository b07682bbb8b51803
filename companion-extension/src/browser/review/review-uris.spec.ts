// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Widget } from '@theia/core/lib/browser';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { ReviewUris } from './review-uris';

describe('ReviewUris', () => {
    it('a widget shows a review only if it is a diff of one', () => {
        const proposal = ReviewUris.uriOfProposal({ id: 'review-1', uri: 'file:///ws/a.txt' });
        expect(ReviewUris.shownIn(editorWidget(proposal))).to.equal('review-1');
        expect(ReviewUris.shownIn(editorWidget(new URI('file:///ws/a.txt')))).to.equal(undefined);
        expect(ReviewUris.shownIn(new Widget())).to.equal(undefined);
    });
});
