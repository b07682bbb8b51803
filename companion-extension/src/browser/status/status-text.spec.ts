// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CompanionStatus, PROPOSAL_VERSION, ReviewInfo, WindowState } from '../../common/companion-protocol';
import { describeAge, describeStatus, listConnections, StatusInput } from './status-text';

describe('describeStatus', () => {
    const qwen = { cliId: 'qwen-code', displayName: 'Qwen Code' };
    const gemini = { cliId: 'gemini-cli', displayName: 'Gemini CLI' };

    const clis = [
        { id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' },
        { id: 'gemini-cli', displayName: 'Gemini CLI', command: 'gemini' }
    ];

    function state(status: Partial<CompanionStatus>, reviews: ReviewInfo[] = []): WindowState {
        return {
            windowId: 'w',
            sequence: 1,
            status: { state: 'ready', problems: [], clis, connections: [], ...status },
            reviews,
            reviewsElsewhere: [],
            droppedEdits: []
        };
    }

    function input(values: Partial<StatusInput>): StatusInput {
        return { state: undefined, failure: undefined, sharing: true, offers: [], ...values };
    }

    function review(path: string): ReviewInfo {
        return {
            id: path,
            path,
            uri: `file://${path}`,
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            otherClis: [],
            traits: {},
            openedAt: 0,
            version: PROPOSAL_VERSION
        };
    }

    it('names the connected CLIs', () => {
        expect(describeStatus(input({ state: state({ connections: [qwen] }) })).text).to.equal('$(plug) Qwen Code connected');
        expect(listConnections([qwen, gemini, qwen])).to.equal('Qwen Code ×2, Gemini CLI');
    });

    it('counts the waiting reviews and names their files', () => {
        const view = describeStatus(input({ state: state({ connections: [qwen] }, [review('/ws/a'), review('/ws/b')]) }));
        expect(view.text).to.include('Qwen Code connected, 2 reviews waiting');
        expect(view.tooltip).to.include('/ws/a').and.include('/ws/b');
        expect(view.label).to.include('2 reviews waiting');
    });

    it('says what to start, whichever CLIs are served', () => {
        expect(describeStatus(input({ state: state({}) })).tooltip).to.include('Start qwen or gemini in a terminal');
        expect(
            describeStatus(input({ state: state({ clis: [{ id: 'acme', displayName: 'Acme', command: 'acme' }] }) })).tooltip
        ).to.include('Start acme in a terminal');
    });

    it('says what to do when it is off', () => {
        const view = describeStatus(input({ state: state({ state: 'disabled' }) }));
        expect(view.text).to.include('off');
        expect(view.tooltip).to.include('companion.enabled');
    });

    it('shows what went wrong', () => {
        const problem = { code: 'contributed' as const, text: 'No port is free.', command: 'restart it' };
        const view = describeStatus(input({ state: state({ state: 'failed', problems: [problem] }) }));
        expect(view).to.include({ isProblem: true, tooltip: 'No port is free. Run: restart it' });
        expect(describeStatus(input({ failure: 'Unreachable.' })).tooltip).to.equal('Unreachable.');
    });

    it('S22: shows a file name as one line of text', () => {
        const view = describeStatus(input({ state: state({}, [review('/ws/a\nReady. $(check)')]) }));
        expect(view.tooltip.split('\n')).to.have.length(2);
    });

    it('offers to reload the page of a backend that was restarted, whatever was known before', () => {
        const view = describeStatus(input({ reloadNeeded: true, failure: 'Unreachable.', state: state({ connections: [qwen] }) }));
        expect(view).to.include({ isProblem: true, text: '$(warning) Reload needed' });
        expect(view.tooltip).to.include('restarted').and.include('unsaved');
    });

    it('gives hints without taking them for problems', () => {
        const view = describeStatus(input({ state: state({ strandedClis: ['Qwen Code'] }) }));
        expect(view.isProblem).to.equal(false);
        expect(view.tooltip).to.include('Qwen Code still runs').and.include('Type /ide enable');
    });

    it('says that sharing is off', () => {
        expect(describeStatus(input({ state: state({}), sharing: false })).tooltip).to.include('not shared');
    });
});

describe('describeAge', () => {
    it('tells the age in the largest whole unit', () => {
        expect(describeAge(0)).to.equal('now');
        expect(describeAge(59_000)).to.equal('59 sec. ago');
        expect(describeAge(150_000)).to.equal('2 min. ago');
        expect(describeAge(2 * 3_600_000)).to.equal('2 hr. ago');
        expect(describeAge(-5_000), 'the clock was set back').to.equal('now');
    });
});
