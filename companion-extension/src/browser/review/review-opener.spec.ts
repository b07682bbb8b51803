// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { Range } from '@theia/core/shared/vscode-languageserver-protocol';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewOpener } from './review-opener';
import { ReviewUris } from './review-uris';

describe('A proposal that is opened alone', () => {
    const proposed = ReviewUris.uriOfProposal({ id: 'a', uri: 'file:///ws/a.ts' });
    let opener: ReviewOpener;
    let activated: string[];
    let revealed: Range[];
    const widget = { editor: { selection: {}, revealRange: (range: Range) => revealed.push(range) } };

    beforeEach(() => {
        [activated, revealed] = [[], []];
        const services = new FakeServices();
        services.bind(PageReviews, { get: (id: string) => (id === 'a' ? { id } : undefined) });
        services.bind(ReviewEditors, {
            activate: async ({ id }: { id: string }) => void activated.push(id),
            widgetsOf: () => [widget]
        });
        opener = services.create(ReviewOpener);
    });

    it('is its diff, at the place that is asked for, such as that of a problem', async () => {
        expect(opener.canHandle(proposed)).to.be.greaterThan(0);
        expect(opener.canHandle(new URI('file:///ws/a.ts'))).to.equal(0);
        const start = { line: 3, character: 2 };
        expect(await opener.open(proposed, { selection: { start } })).to.equal(widget);
        expect(activated).to.deep.equal(['a']);
        expect(revealed).to.deep.equal([{ start, end: start }]);
    });

    it('is refused once it waits no more', async () => {
        const opening = opener.open(ReviewUris.uriOfProposal({ id: 'b', uri: 'file:///ws/b.ts' }));
        expect(await opening.catch((error: Error) => error.message)).to.equal('The review is no longer waiting.');
    });
});
