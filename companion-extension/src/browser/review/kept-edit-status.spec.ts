// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { KeptEdit } from '../../common/companion-protocol';
import { statusRow, statusServices } from '../test/status';
import { KeptEditStatus } from './kept-edit-status';
import { KeptEdits } from './kept-edits';

const EDIT: KeptEdit = {
    id: 'edit',
    reviewId: 'review',
    path: '/ws/b.ts',
    uri: 'file:///ws/b.ts',
    cliName: 'Gemini CLI',
    reason: 'rejected',
    keptAt: 0,
    daysLeft: 14
};

describe('The kept edits in the status', () => {
    it('are shown, and their buttons discard them', () => {
        const services = statusServices({});
        services.bind(KeptEdits, { all: [EDIT] });
        const sections = services.create(KeptEditStatus).sections(60_000);
        const found = statusRow('edit edit', sections);
        expect(found).to.deep.include({
            detail: 'b.ts · kept until Jan 15, 1970',
            command: 'companion.edits.show',
            args: [EDIT]
        });
        expect(found.buttons?.map(({ command, args }) => [command, args])).to.deep.equal([['companion.edits.discardOne', [EDIT]]]);
        expect([sections[0].sentence, sections[0].briefs?.[0].text]).to.deep.equal(['Your edits that were not written: 1', '1 edit kept']);
    });
});
