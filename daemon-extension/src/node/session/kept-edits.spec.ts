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

    it('are shown without secrets and cut, which they say', () => {
        const redactor = new Redactor();
        redactor.add('the-secret');
        const edits = new KeptEdits(redactor);
        const shown = (newText: string): (string | boolean | undefined)[] => {
            keep(edits, 'a', newText);
            const { newText: text, truncated } = edits.diff({ turnId: 't', toolId: 'a' })!;
            return [text.slice(0, 2), truncated];
        };
        expect(shown('xy')).to.deep.equal(['xy', false]);
        expect(shown('the-secretx')).to.deep.equal(['…x', false]);
        expect(shown('x'.repeat(DaemonLimits.diffText + 1))).to.deep.equal(['xx', true]);
    });

    it('have an end: the oldest go first, the newest never', () => {
        const edits = new KeptEdits(new Redactor());
        const kept = (): string[] => ['a', 'b', 'c', 'd'].filter(toolId => edits.diff({ turnId: 't', toolId }));
        keep(edits, 'a', 'x'.repeat(7 * MIB));
        keep(edits, 'b', 'x'.repeat(7 * MIB));
        expect(kept()).to.deep.equal(['a', 'b']);
        keep(edits, 'c', 'x'.repeat(7 * MIB));
        expect(kept()).to.deep.equal(['b', 'c']);
        keep(edits, 'd', 'x'.repeat(20 * MIB));
        expect(kept()).to.deep.equal(['d']);
    });
});
