// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { StatusBar } from '@theia/core/lib/browser/status-bar/status-bar-types';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { windowState } from '../test/status';
import { CompanionConnection } from '../window/companion-connection';
import { StatusSection, StatusSectionContribution } from '../window/status-section-contribution';
import { CompanionStatusContribution } from './companion-status';
import { StatusCommands } from './status-commands';
import { StatusPick } from './status-pick';

describe('The element in the status bar', () => {
    let shown: string;
    let background: string | undefined;
    let offered: number;
    let listed: string[];
    let connection: Partial<CompanionConnection>;
    const onDidChangeState = new Emitter<void>();
    const onDidChange = new Emitter<void>();

    function start(...contributions: Array<Partial<StatusSectionContribution>>): void {
        const services = new FakeServices();
        services.bind(StatusBar, {
            setElement: async (_: string, entry: { text: string; backgroundColor?: string }) =>
                void ([shown, background] = [entry.text, entry.backgroundColor])
        });
        services.bind(CompanionConnection, connection);
        services.bindNamed(ContributionProvider, StatusSectionContribution, { getContributions: () => contributions });
        services.bind(StatusCommands, { offerReload: async () => void offered++ });
        services.bind(StatusPick, { refresh: (sections: StatusSection[]) => (listed = sections.map(({ id }) => id)) });
        services.create(CompanionStatusContribution).onStart();
    }

    beforeEach(() => {
        [shown, offered, listed] = ['', 0, []];
        connection = {
            onDidChangeState: onDidChangeState.event,
            connected: true,
            reloadNeeded: false,
            state: windowState()
        } as Partial<CompanionConnection>;
    });

    it('says what the features say, also after one of them, or the window, has changed', () => {
        let text = '1 cake';
        const cakes: StatusSectionContribution = {
            onDidChange: onDidChange.event,
            sections: () => [{ id: 'cakes', order: 20, rows: [], briefs: [{ kind: 'count', rank: 10, text }] }]
        };
        start(cakes, { sections: () => [{ id: 'tea', order: 10, rows: [] }] });
        expect([shown, listed]).to.deep.equal(['$(plug) Companion, 1 cake', ['tea', 'cakes']]);
        text = '2 cakes';
        onDidChange.fire();
        expect(shown).to.equal('$(plug) Companion, 2 cakes');
        text = '3 cakes';
        onDidChangeState.fire();
        expect(shown).to.equal('$(plug) Companion, 3 cakes');
    });

    it('has the colour of what waits while something waits', () => {
        const row = { id: 'agent 1', icon: 'bell', label: 'Qwen Code', command: 'reveal', args: [] };
        let rows = [row];
        start({ onDidChange: onDidChange.event, sections: () => [{ id: 'waiting', order: 10, rows }] });
        expect(background).to.equal('var(--theia-statusBarItem-warningBackground)');
        rows = [];
        onDidChange.fire();
        expect(background).to.equal(undefined);
    });

    it('is there also if one of them cannot be made', () => {
        // As ContributionGuard makes it.
        start({ sections: () => undefined as unknown as StatusSection[] });
        expect(shown).to.equal('$(plug) Companion');
    });

    it('offers a reload once', () => {
        Object.assign(connection, { reloadNeeded: true });
        start();
        onDidChangeState.fire();
        expect([shown, offered]).to.deep.equal(['$(warning) Reload needed', 1]);
    });
});
