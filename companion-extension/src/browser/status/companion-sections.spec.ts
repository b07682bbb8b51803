// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { ContributionGuard } from '../../common/contribution-guard';
import { statusRow, statusServices, windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { StatusSection } from '../window/status-section-contribution';
import { CompanionSections } from './companion-sections';

describe('The companion itself in the status', () => {
    function sections(connection: Partial<CompanionConnection>, ...failures: string[]): StatusSection[] {
        const services = statusServices(connection);
        services.bind(ContributionGuard, { failures });
        return services.create(CompanionSections).sections();
    }

    it('has a row that turns it on while it is off', () => {
        const found = sections({ state: windowState({ state: 'disabled', connections: [] }) });
        expect(found.filter(({ rows }) => rows.length > 0).map(({ id }) => id)).to.deep.equal(['off', 'actions']);
        expect(statusRow('turnOn', found).command).to.equal('companion.status.turnOn');
    });

    it('offers a reload to a page that a restarted backend refuses', () => {
        const found = sections({ state: windowState(), reloadNeeded: true });
        expect(statusRow('reload', found).command).to.equal('companion.status.reload');
    });

    it('tells a problem whole, and its command is copied', () => {
        const text = 'No port is free.';
        const found = sections({ state: windowState({ problems: [{ code: 'contributed', text, command: 'restart it' }] }) });
        const problem = statusRow('problem No port is free. Run: restart it', found);
        expect(problem).to.deep.include({
            command: 'companion.status.tellProblem',
            args: ['No port is free. Run: restart it', 'restart it']
        });
        expect(problem.buttons?.map(({ command, args }) => [command, args])).to.deep.equal([['companion.status.copy', ['restart it']]]);
    });

    it('names what fails first: the connection, then the backend, then the page', () => {
        const state = windowState({ problems: [{ code: 'contributed', text: 'No port is free.' }] });
        const found = sections({ state, failure: 'Unreachable.' }, 'no such service');
        expect(found.find(({ id }) => id === 'problems')?.rows.map(({ label }) => label)).to.deep.equal([
            'Unreachable.',
            'No port is free.',
            'Part of the companion does not work: no such service'
        ]);
    });

    it('has no row for a command that the application does not have', () => {
        const ids = sections({ state: windowState() }).flatMap(({ rows }) => rows.map(({ id }) => id));
        expect(ids).to.include('command companion.showLog').and.not.include('command companion.openSettings');
    });
});
