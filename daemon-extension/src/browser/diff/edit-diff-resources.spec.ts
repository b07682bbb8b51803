// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { EditDiffResourceResolver, EditDiffUris } from './edit-diff-resources';

describe('The two sides of an edit', () => {
    const edit = { sessionId: 'session-1', turnId: 'turn-1', toolId: 'call-1' };
    let fixture: ChatFixture;
    let resolver: EditDiffResourceResolver;

    beforeEach(() => {
        fixture = new ChatFixture();
        fixture.container.bind(EditDiffResourceResolver).toSelf();
        resolver = fixture.container.get(EditDiffResourceResolver);
        fixture.backend.diff = { path: '/w/a.txt', oldText: 'one', newText: 'two', truncated: false };
    });
    afterEach(() => fixture.connection.disable());

    it('are read-only, and say why to somebody who types there', async () => {
        for (const [side, text] of [
            ['before', 'one'],
            ['after', 'two']
        ] as const) {
            const resource = await resolver.resolve(EditDiffUris.create({ ...edit, side }, '/w/a.txt'));
            expect(await resource.readContents()).to.equal(text);
            expect(resource.readOnly)
                .to.have.property('value')
                .that.matches(/You cannot edit this proposal/);
        }
    });
});

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
