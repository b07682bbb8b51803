// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { EditDiffUris } from './edit-diff-uris';

describe('EditDiffUris', () => {
    it('finds session, tool call and side again after a round trip', () => {
        for (const side of ['before', 'after'] as const) {
            const edit = { sessionId: '0622-ab', turnId: 'turn & 1', toolId: 'call & 7=0 #?', side };
            const uri = EditDiffUris.create(edit, '/work space/ü?#.txt');
            expect(EditDiffUris.parse(new URI(uri.toString()))).to.deep.equal(edit);
            expect(new URI(uri.toString()).path.toString()).to.equal('/work space/ü?#.txt');
        }
    });

    it('is not interested in other URIs', () => {
        expect(EditDiffUris.parse(new URI('file:///a.txt?session=1&turn=3&tool=2'))).to.equal(undefined);
        expect(EditDiffUris.parse(new URI('qwen-daemon-before:/a.txt'))).to.equal(undefined);
    });
});
