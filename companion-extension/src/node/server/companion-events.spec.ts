// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { ServerEvents } from './companion-events';

describe('ServerEvents', () => {
    it('reports a CLI as gone when it stops responding, and as connected when it continues; each once', () => {
        const changes = new Emitter<{ cliId: string; gone: boolean }>();
        const events = new ServerEvents();
        const heard: string[] = [];
        events.onDidRecord(record => heard.push([record.kind, 'cliId' in record && record.cliId, record.windowId].join(' ')));
        events.follow({ onDidChangeSession: changes.event }, 'w');
        const session = { cliId: 'a', gone: false };
        for (const gone of [false, false, true, true, false, true]) {
            session.gone = gone;
            changes.fire(session);
        }
        expect(heard).to.deep.equal(['connected a w', 'disconnected a w', 'connected a w', 'disconnected a w']);
    });
});
