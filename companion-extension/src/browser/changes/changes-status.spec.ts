// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { AgentStatus } from '../../common/companion-protocol';
import { statusRow, statusServices, windowState } from '../test/status';
import { ChangesStatus } from './changes-status';
import { PageChanges } from './page-changes';

describe('The changes of agents in the status', () => {
    let status: ChangesStatus;
    let changes: Partial<PageChanges>;
    const connection = { state: windowState() };

    beforeEach(() => {
        changes = { count: 0 };
        connection.state = windowState();
        const services = statusServices(connection);
        services.bind(PageChanges, changes);
        status = services.create(ChangesStatus);
    });

    it('are counted, and open their view', () => {
        expect(status.sections()[0].rows).to.deep.equal([]);
        Object.assign(changes, { count: 4 });
        const sections = status.sections();
        expect(sections[0].title).to.equal('Agent Changes');
        expect(statusRow('changes', sections)).to.include({
            label: '4 files changed since you last looked',
            command: 'companion.changes.review'
        });
    });

    it('say what keeps them from being followed, with what helps; that they are off, only while an agent runs', () => {
        Object.assign(changes, { trouble: { code: 'failed', root: '/ws', cause: 'git ls-files took too long' } });
        const found = statusRow('changes trouble', status.sections());
        expect(found.sentences).to.deep.equal([
            'Changes in /ws are not followed (git ls-files took too long). git is asked again after a while.'
        ]);
        expect(found.command).to.equal('companion.changes.show');
        Object.assign(changes, { trouble: { code: 'off' } });
        expect(status.sections()[0].rows).to.deep.equal([]);
        const agents: AgentStatus[] = [{ shell: 1, name: 'Aider', state: 'idle', isSilent: true, since: 0 }];
        connection.state = windowState({}, { agents });
        expect(statusRow('changes trouble', status.sections()).label).to.equal('Changes are not followed.');
    });
});
