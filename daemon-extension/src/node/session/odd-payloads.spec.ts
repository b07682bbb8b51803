// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { permissionEvent } from '../test/fake-daemon';
import { MapperFixture, updateEvent as update } from '../test/mapper-fixture';

describe('What the daemon says in an odd way', () => {
    let fixture: MapperFixture;

    beforeEach(() => {
        fixture = new MapperFixture();
    });

    it('says once of each kind that it cannot be read', () => {
        const events = fixture.map(...[1, 2, 3].map(() => update({ sessionUpdate: 'plan', entries: 'x' })), {
            type: 'permission_request',
            promptId: 'turn-1',
            data: 7
        });
        expect(events.map(({ kind }) => kind)).to.deep.equal(['notice', 'notice']);
    });

    it('an odd field that is not needed costs no text and no permission', () => {
        for (const meta of [
            { usage: { inputTokens: 1, outputTokens: 2, cachedReadTokens: null } },
            { promptId: null },
            { visionBridgeNotice: 'text' },
            'odd'
        ]) {
            const texts = fixture.mapped(
                update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'answer' }, _meta: meta })
            );
            expect(
                texts.find(({ kind }) => kind === 'text'),
                JSON.stringify(meta)
            ).to.deep.include({ text: 'answer' });
        }
        const asked = permissionEvent('s', 'turn-1', 'r1');
        const data = asked.data as { toolCall: object };
        Object.assign(data.toolCall, {
            _meta: { serverId: null, toolName: 7 },
            locations: [{ uri: 'file:///a' }, { path: '/w/a' }],
            title: 7
        });
        const events = fixture.mapped(asked);
        expect(events.map(({ kind }) => kind)).to.deep.equal(['tool', 'permission']);
    });
});
