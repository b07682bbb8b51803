// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { spokenRow } from '../window/status-section-contribution';
import { FixStatus } from './fix-status';

describe('What the diagnosis says how to mend', () => {
    it('is typed by its row of the status', () => {
        const status = new FixStatus();
        let changes = 0;
        status.onDidChange(() => changes++);
        const fix = { cliId: 'qwen-code', displayName: 'Qwen Code', command: "cd '/ws'", shell: 42 };
        status.set([fix]);
        const [row] = status.sections()[0].rows;
        expect(changes).to.equal(1);
        expect(spokenRow(row)).to.equal("cd '/ws', Qwen Code, Enter types it into the terminal that was examined.");
        const spoken = (command: string, shell?: number): string => {
            status.set([{ ...fix, command, shell }]);
            return spokenRow(status.sections()[0].rows[0]);
        };
        expect(spoken("cd '/ws'")).to.include('Enter copies it, for a shell.');
        expect(spoken('/ide enable')).to.include('Enter types it into the prompt of Qwen Code.');
        expect(row).to.deep.include({ id: "fix qwen-code cd '/ws'", command: 'companion.cli.typeFix', args: [fix] });
    });
});
