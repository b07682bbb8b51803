// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { expect } from 'chai';
import { statusRow, statusServices, windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { FakeServices } from '../test/fake-services';
import { ContextFilter } from './context-filter';
import { ContextTracker } from './context-tracker';
import { SharingStatus } from './sharing-status';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from '../window/page-policy';

const RULE = 'companion.context.exclude: **/.env*';

describe('Sharing in the status', () => {
    let filter: Partial<ContextFilter>;
    let rule: string | undefined;
    let policy: PagePolicy;
    const connection = { state: windowState() };

    beforeEach(() => {
        [rule, connection.state, policy] = [RULE, windowState(), testPolicy()];
        filter = { sharing: true, setPaused: () => undefined };
    });

    function create(services = statusServices(connection)): SharingStatus {
        services.bind(PagePolicy, policy);
        services.bind(ContextFilter, filter);
        services.bind(ContextTracker, {
            shared: { workspaceState: { openFiles: [{ path: '/ws/a' }] } },
            withheld: [{ path: '/ws/.env', rule, isActive: false }]
        });
        return services.create(SharingStatus);
    }

    it('says what is shared, and which file is withheld by which rule', () => {
        const found = create().sections();
        expect(found[0].rows[0].label).to.equal('Shared: 1 open file, nothing selected.');
        expect(statusRow('withheld /ws/.env', found).detail).to.include(RULE);
        expect(statusRow('toggleSharing', found)).to.include({
            label: 'Pause Sharing in This Window',
            command: 'companion.context.toggleSharing'
        });
        Object.assign(filter, { sharing: false, paused: true });
        const paused = create().sections();
        expect(statusRow('toggleSharing', paused).label).to.equal('Resume Sharing in This Window');
        expect(paused[0].rows.map(({ id }) => id)).not.to.include('withheld /ws/.env');
    });

    it('of a withheld file shows the setting that withholds it, else what is shared', () => {
        const commandOf = (withheldBy: string | undefined): unknown => {
            rule = withheldBy;
            const { command, args } = statusRow('withheld /ws/.env', create().sections());
            return [command, args];
        };
        expect(commandOf(RULE)).to.deep.equal(['preferences:open', ['companion.context.exclude']]);
        expect(commandOf('.qwenignore: secret')).to.deep.equal(['companion.context.show', undefined]);
        expect(commandOf(undefined)).to.deep.equal(['companion.context.show', undefined]);
    });

    it('of a withheld file shows the settings in an application that cannot show what is shared; the switch then says it', () => {
        rule = '.qwenignore: secret';
        const services = new FakeServices();
        services.bind(CompanionConnection, connection);
        services.bind(WorkspacePaths, { display: (path: string) => path, name: (path: string) => path });
        services.bind(CommandRegistry, { getCommand: () => undefined });
        const found = create(services).sections();
        expect(statusRow('withheld /ws/.env', found)).to.deep.include({
            command: 'preferences:open',
            args: ['companion.context.exclude']
        });
        expect(statusRow('toggleSharing', found).detail).to.equal('Shared: 1 open file, nothing selected.');
    });

    it('has no switch if a policy says that nothing is shared', () => {
        Object.assign(filter, { sharing: false });
        expect(
            create()
                .sections()[0]
                .rows.map(({ id }) => id)
        ).to.include('toggleSharing');
        policy.receive({ preferences: { 'companion.context.share': false }, clis: [], off: [] });
        expect(
            create()
                .sections()[0]
                .rows.map(({ id }) => id)
        ).not.to.include('toggleSharing');
    });

    it('has no row while the companion is off', () => {
        connection.state = windowState({ state: 'disabled', connections: [] });
        expect(create().sections()[0].rows).to.deep.equal([]);
    });
});
