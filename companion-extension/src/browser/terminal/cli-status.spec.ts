// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { UnconnectedCli } from '../../common/companion-protocol';
import { statusRow, statusServices, windowState } from '../test/status';
import { spokenRow, StatusSection } from '../window/status-section-contribution';
import { CliStatus } from './cli-status';

describe('The CLIs in the status', () => {
    function sections(status: Parameters<typeof windowState>[0]): StatusSection[] {
        return statusServices({ state: windowState(status) })
            .create(CliStatus)
            .sections();
    }

    it('lead to their terminal if they are connected; the others get what connects them, or their folder is opened', () => {
        const gemini: UnconnectedCli = { cliId: 'gemini-cli', displayName: 'Gemini CLI', connectCommand: '/ide enable' };
        const claude: UnconnectedCli = { cliId: 'claude-code', displayName: 'Claude Code', connectCommand: '/ide', folder: '/tree' };
        const found = sections({ disconnectedClis: [gemini, claude] });
        expect(statusRow('cli Qwen Code', found)).to.deep.include({ command: 'companion.cli.reveal', args: ['Qwen Code'] });
        const unconnected = statusRow('disconnected gemini-cli', found);
        expect(spokenRow(unconnected)).to.equal('Gemini CLI runs here, not connected, Enter types /ide enable into its prompt.');
        expect(unconnected).to.deep.include({ command: 'companion.cli.connect', args: [gemini] });
        const outside = statusRow('disconnected claude-code', found);
        expect(outside.label).to.equal('Claude Code runs in /tree, which is not an open folder');
        expect(outside.detail).to.equal('Start it again in an open folder, or open that one. Enter opens that folder in a new window.');
        expect(outside.sentences, 'in a hover nothing is pressed').to.deep.equal([
            'Claude Code runs in /tree, which is not an open folder. Start it again in an open folder, or open that one.'
        ]);
        expect(outside).to.deep.include({ command: 'companion.cli.connect', args: [claude] });
    });

    it('that work in a worktree beside the project are said to be in another checkout of it', () => {
        const claude: UnconnectedCli = { cliId: 'claude-code', displayName: 'Claude Code', folder: '/beside', isOtherCheckout: true };
        const row = statusRow('disconnected claude-code', sections({ disconnectedClis: [claude] }));
        expect(row.label).to.equal('Claude Code works in another checkout of this project, /beside');
        expect(row.detail).to.contain('Enter opens that folder in a new window.');
    });

    it('are started by a row that comes first where none is connected, and else by an action', () => {
        const [first, none] = sections({ connections: [] });
        expect(first).to.include({ id: 'clis', title: 'No CLI is connected to this window' });
        expect(first.rows.map(({ id, command }) => [id, command])).to.deep.equal([
            ['command companion.run.choose', 'companion.run.choose']
        ]);
        expect(none.rows).to.deep.equal([]);
        const [connected, actions] = sections({});
        expect(connected.rows.map(({ id }) => id)).to.deep.equal(['cli Qwen Code']);
        expect([actions.id, actions.rows.length]).to.deep.equal(['actions', 1]);
    });

    it('are not told while the companion is off: they only can be started', () => {
        const found = sections({ state: 'disabled', connections: [] });
        expect(found.map(({ id, rows }) => [id, rows.length])).to.deep.equal([['actions', 1]]);
    });
});
