// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Redactor } from '../config/redactor';
import { ToolUpdate } from './event-payloads';
import { KeptEdits, ToolCalls } from './tool-calls';

describe('A tool call that edits files', () => {
    const edits = new KeptEdits(new Redactor());
    const tools = new ToolCalls(new Redactor(), edits);
    const edit = (...files: [string, string][]): ToolUpdate => ({
        toolCallId: 'call_1',
        content: files.map(([path, newText]) => ({ type: 'diff' as const, path, oldText: 'old', newText }))
    });

    it('a tool call that edits files is known by its turn: another turn uses the same id of a tool call', () => {
        tools.update('turn-1', edit(['/w/a.txt', 'first']));
        tools.update('turn-2', edit(['/w/b.txt', 'second']));
        expect(edits.diff({ turnId: 'turn-1', toolId: 'call_1' })).to.deep.include({ path: '/w/a.txt', newText: 'first' });
        expect(edits.diff({ turnId: 'turn-2', toolId: 'call_1' })).to.deep.include({ path: '/w/b.txt', newText: 'second' });
        expect(edits.diff({ turnId: 'turn-3', toolId: 'call_1' })).to.equal(undefined);
    });

    it('keeps the texts that it had before the session was loaded again', () => {
        tools.update('turn-6', { ...edit(['/w/long.txt', 'long']), kind: 'edit', status: 'completed' });
        const again = new ToolCalls(new Redactor(), edits);
        const call = again.update('turn-6', {
            toolCallId: 'call_1',
            kind: 'edit',
            locations: [{ path: '/w/long.txt' }],
            status: 'completed',
            content: [{ type: 'content', content: { type: 'text', text: 'Saved session preview only' } }]
        });
        expect(call.diff).to.deep.equal({ path: '/w/long.txt', isNew: false });
        expect(edits.diff({ turnId: 'turn-6', toolId: 'call_1' })).to.deep.include({ oldText: 'old', newText: 'long' });
    });

    it('keeps what was written, although a loaded session reports the proposal after it', () => {
        const whole = { ...edit(['/w/a.txt', 'written']), kind: 'edit', status: 'completed' };
        tools.update('turn-7', whole);
        tools.update('turn-7', { ...edit(['/w/a.txt', 'proposed']), status: 'pending' });
        expect(edits.diff({ turnId: 'turn-7', toolId: 'call_1' })?.newText).to.equal('written');
    });

    it('a tool call that edits files is not approved unseen: a text names every edit that the one diff does not show', () => {
        const { content } = edit(['/w/a.txt', 'a'], ['/w/b.txt', 'b'], ['/w/c.txt', 'c']);
        expect(tools.update('turn-4', { toolCallId: 'call_1', content }).diff?.path).to.equal('/w/a.txt');
        expect(tools.text(content!)?.text)
            .to.contain('also changes /w/b.txt')
            .and.to.contain('also changes /w/c.txt')
            .and.not.to.contain('a.txt');
        expect(tools.text([{ type: 'diff' }])?.text).to.contain('cannot be shown');
        expect(tools.text(edit(['/w/a.txt', 'a']).content!)).to.equal(undefined);
    });
});
