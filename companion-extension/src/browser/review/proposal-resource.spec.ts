// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { pageReview } from '../test/page-review';
import { ProposalResource } from './proposal-resource';

describe('The right side of a diff', () => {
    it('can be edited, unless the CLI would write its own text anyway', () => {
        const uri = new URI('companion-proposed://a.txt/ws/a.txt');
        expect(new ProposalResource(uri, pageReview('a.txt')).readOnly).to.equal(false);
        expect(new ProposalResource(uri, pageReview('a.txt', { traits: { writesOwnText: true } })).readOnly).to.equal(true);
    });
});
