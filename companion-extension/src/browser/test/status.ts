// SPDX-License-Identifier: Apache-2.0

import { CommandRegistry } from '@theia/core/lib/common/command';
import { expect } from 'chai';
import { WindowState } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { StatusRow, StatusSection } from '../window/status-section-contribution';
import { WorkspacePaths } from '../window/workspace-paths';
import { FakeServices } from './fake-services';

/** A window to which Qwen Code is connected. */
export function windowState(status: Partial<WindowState['status']> = {}, more: Partial<WindowState> = {}): WindowState {
    return {
        windowId: 'window',
        sequence: 1,
        installation: 'installation',
        status: {
            state: 'ready',
            problems: [],
            clis: [{ id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' }],
            connections: [{ cliId: 'qwen-code', displayName: 'Qwen Code', since: 0 }],
            ...status
        },
        reviews: [],
        keptEdits: [],
        accepted: [],
        agents: [],
        changes: { version: 0, count: 0 },
        ...more
    };
}

/** What the sections of the features inject: the connection is changed by the test. */
export function statusServices(connection: Partial<CompanionConnection>): FakeServices {
    const services = new FakeServices();
    services.bind(CompanionConnection, connection);
    services.bind(WorkspacePaths, {
        display: (path: string) => path.replace(/^\/ws\//, ''),
        name: (path: string) => path.split('/').pop() ?? ''
    });
    services.bind(CommandRegistry, {
        getCommand: (id: string) => (id.startsWith('companion.') ? { id, label: `label of ${id}` } : undefined)
    });
    return services;
}

export function statusRow(id: string, sections: readonly StatusSection[]): StatusRow {
    const rows = sections.flatMap(section => section.rows);
    const found = rows.find(row => row.id === id);
    expect(found, `${id} in ${rows.map(row => row.id)}`).not.to.equal(undefined);
    return found!;
}
