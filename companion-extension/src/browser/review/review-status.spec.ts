// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { reviewInfo } from '../test/review-info';
import { statusRow, statusServices, windowState } from '../test/status';
import { spokenRow } from '../window/status-section-contribution';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewStatus } from './review-status';

const REVIEW = reviewInfo('review', { path: '/ws/src/a.ts', uri: 'file:///ws/src/a.ts', openedAt: 0 });
const NOW = 60_000;

describe('The proposals in the status', () => {
    let status: ReviewStatus;
    let changesText: string;
    /** Those that the page has. */
    let known: Array<{ id: string; isWaiting: boolean }>;
    const connection = { state: windowState() };

    beforeEach(() => {
        [changesText, known, connection.state] = ['', [], windowState({}, { reviews: [REVIEW] })];
        const services = statusServices(connection);
        services.bind(PageReviews, { get: (id: string) => known.find(review => review.id === id) });
        services.bind(ReviewEditors, { editorsOf: (id: string) => (id === 'review' && changesText !== '' ? [{ changesText }] : []) });
        status = services.create(ReviewStatus);
    });

    it('open, and their buttons accept and reject them', () => {
        expect(statusRow('review', status.sections(NOW)).detail).to.equal('src/a.ts · 1 min. ago');
        changesText = 'change 2 of 4 · +3 −3';
        const found = statusRow('review', status.sections(NOW));
        expect(spokenRow(found)).to.equal('a.ts, proposed by Qwen Code, 1 min. ago, src/a.ts');
        expect(found.detail).to.equal('src/a.ts · change 2 of 4 · +3 −3 · 1 min. ago');
        expect(found).to.deep.include({ review: REVIEW, command: 'companion.review.open', args: [REVIEW] });
        expect(found.buttons?.map(({ tooltip, command, args }) => [tooltip, command, args])).to.deep.equal([
            ['Accept Proposal', 'companion.review.answer', [REVIEW, 'accept']],
            ['Reject Proposal', 'companion.review.answer', [REVIEW, 'reject']]
        ]);
    });

    it('count also if the page has not received them yet, because its layout is being restored', () => {
        const [{ title, briefs }] = status.sections(NOW);
        expect(title).to.equal('Waiting for you');
        expect(briefs?.map(({ text }) => text)).to.deep.equal(['1 proposal waiting']);
    });

    it('no longer count once the user has answered them here', () => {
        known = [{ id: 'review', isWaiting: false }];
        expect(status.sections(NOW)[0]).to.deep.include({ rows: [], briefs: [] });
    });
});
