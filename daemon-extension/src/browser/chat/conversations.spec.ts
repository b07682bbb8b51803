// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';

describe('The chats of a page', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    it('let the backend forget the sessions that were not used for long, of which nothing runs', async () => {
        const chats = Array.from({ length: 12 }, () => new MutableChatModel(ChatAgentLocation.Panel));
        for (const [index, chat] of chats.entries()) {
            fixture.backend.session = { ...fakeSession, sessionId: `session-${index}` };
            const request = fixture.request('hello', 'default', chat);
            await fixture.agent.invoke(request);
            if (index !== 1) {
                request.response.complete();
            }
            // Used again.
            fixture.conversations.of(chats[0]);
        }
        expect(fixture.backend.calls.filter(call => call.startsWith('leave'))).to.deep.equal(['leave session-2']);
        expect([chats[0], chats[1], chats[2]].map(({ id }) => fixture.conversations.find(id) !== undefined)).to.deep.equal([
            true,
            true,
            false
        ]);
    });
});
