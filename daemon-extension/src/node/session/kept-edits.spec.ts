// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Redactor } from '../config/redactor';
import { DaemonLimits } from '../../common/qwen-daemon-protocol';
import { KeptEdits } from './tool-calls';

describe('The edits that are kept of a session', () => {
    const MIB = 1024 * 1024;
    const keep = (edits: KeptEdits, toolId: string, newText: string): void => {
        edits.keep({ turnId: 't', toolId }, { path: `/w/${toolId}`, oldText: 'old', newText });
    };

    it('are in the order in which they were done, without those that were not', () => {
        const edits = new KeptEdits(new Redactor());
        ['a', 'b', 'c'].forEach(toolId => keep(edits, toolId, toolId));
        edits.complete({ turnId: 't', toolId: 'c' }, undefined);
        edits.complete({ turnId: 't', toolId: 'a' }, undefined);
        expect(edits.done(new Set(['t'])).map(({ path }) => path)).to.deep.equal(['/w/c', '/w/a']);
        expect(edits.done(new Set(['other']))).to.be.empty;
    });

    it('stay what was written, although a loaded session reports the proposal after it', () => {
        const edits = new KeptEdits(new Redactor());
        keep(edits, 'a', 'written');
        edits.complete({ turnId: 't', toolId: 'a' }, undefined);
        keep(edits, 'a', 'proposed');
        expect(edits.diff({ turnId: 't', toolId: 'a' })?.newText).to.equal('written');
    });

    it('are shown without secrets and cut, and kept as they are', () => {
        const redactor = new Redactor();
        redactor.add('the-secret');
        const edits = new KeptEdits(redactor);
        keep(edits, 'a', `the-secret${'x'.repeat(DaemonLimits.diffText)}`);
        edits.complete({ turnId: 't', toolId: 'a' }, undefined);
        const shown = edits.diff({ turnId: 't', toolId: 'a' });
        expect(shown?.newText.slice(0, 2)).to.equal('…x');
        expect([shown?.newText.length, shown?.truncated]).to.deep.equal([DaemonLimits.diffText, true]);
        expect(edits.done(new Set(['t']))[0].texts?.newText).to.match(/^the-secretx/);
    });

    it('lose their texts where they are too many: the oldest first, the newest never; their files are known for ever', () => {
        const edits = new KeptEdits(new Redactor());
        const write = (toolId: string, size: number): void => {
            keep(edits, toolId, 'x'.repeat(size));
            edits.complete({ turnId: 't', toolId }, undefined);
        };
        const kept = (): string[] => ['a', 'b', 'c', 'd'].filter(toolId => edits.diff({ turnId: 't', toolId }));
        write('a', 7 * MIB);
        write('b', 7 * MIB);
        expect(kept()).to.deep.equal(['a', 'b']);
        write('c', 7 * MIB);
        expect(kept()).to.deep.equal(['b', 'c']);
        write('d', 20 * MIB);
        expect(kept()).to.deep.equal(['d']);
        expect(edits.done(new Set(['t'])).map(({ path }) => path)).to.deep.equal(['/w/a', '/w/b', '/w/c', '/w/d']);
        expect(edits.info({ turnId: 't', toolId: 'a' })).to.deep.equal({ path: '/w/a', isNew: false });
    });
});
