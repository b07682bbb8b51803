// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { DroppedEdits, DroppedEditLimits } from './dropped-edits';

describe('DroppedEdits', () => {
    const place = { windowId: 'w', roots: [] };
    const everybody = (): boolean => true;
    let edits: DroppedEdits;

    beforeEach(() => {
        edits = new DroppedEdits();
    });

    function add(id: string, text: string): void {
        edits.add({ id, path: '/ws/a', uri: 'file:///ws/a', cliName: 'Qwen Code', reason: 'terminal', droppedAt: 0 }, text, place);
    }

    it('lets the oldest go where there are too many, or their texts too long; a single one of any length stays', () => {
        for (let index = 0; index <= DroppedEditLimits.edits; index++) {
            add(String(index), 'text');
        }
        expect(edits.list(everybody).map(({ id }) => id))
            .to.have.length(DroppedEditLimits.edits)
            .and.not.to.include('0');
        add('long', 'x'.repeat(DroppedEditLimits.characters + 1));
        expect(edits.list(everybody).map(({ id }) => id)).to.deep.equal(['long']);
    });

    it('a newer text of the same review takes the place of the one before', () => {
        add('a', 'first');
        add('a', 'second');
        expect(edits.list(everybody)).to.have.length(1);
        expect(edits.read('a', everybody)).to.equal('second');
    });
});
