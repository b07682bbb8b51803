// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ReviewTraits } from '../../common/companion-protocol';
import { pageReview } from '../test/page-review';
import { ProposalResource } from './proposal-resource';

describe('The right side of a diff', () => {
    it('can be edited, unless the CLI would write its own text anyway', () => {
        const isReadOnly = (traits: ReviewTraits): boolean => {
            const review = pageReview('a.txt', { traits });
            return new ProposalResource(new URI('companion-proposed://a.txt/ws/a.txt'), review.text, review.isReadOnly).readOnly;
        };
        expect([isReadOnly({}), isReadOnly({ writesOwnText: true })]).to.deep.equal([false, true]);
    });
});
