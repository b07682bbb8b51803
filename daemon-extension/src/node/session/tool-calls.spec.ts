// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ToolUpdate } from './event-payloads';
import { EditTexts, ToolCalls } from './tool-calls';

describe('The edits of tool calls', () => {
    const tools = new ToolCalls(text => text);
    const edit = (...files: [string, string][]): ToolUpdate => ({
        toolCallId: 'call_1',
        content: files.map(([path, newText]) => ({ type: 'diff' as const, path, oldText: 'old', newText }))
    });

    it('are those of their turn: another turn uses the same id of a tool call', () => {
        tools.update('turn-1', edit(['/w/a.txt', 'first']));
        tools.update('turn-2', edit(['/w/b.txt', 'second']));
        expect(tools.diff({ turnId: 'turn-1', toolId: 'call_1' })).to.deep.include({ path: '/w/a.txt', newText: 'first' });
        expect(tools.diff({ turnId: 'turn-2', toolId: 'call_1' })).to.deep.include({ path: '/w/b.txt', newText: 'second' });
        expect(tools.diff({ turnId: 'turn-3', toolId: 'call_1' })).to.equal(undefined);
    });

    it('are not approved unseen: a text names every edit that the one diff does not show', () => {
        const { content } = edit(['/w/a.txt', 'a'], ['/w/b.txt', 'b'], ['/w/c.txt', 'c']);
        expect(tools.update('turn-4', { toolCallId: 'call_1', content }).diff?.path).to.equal('/w/a.txt');
        expect(tools.text(content!)?.text)
            .to.contain('also changes /w/b.txt')
            .and.to.contain('also changes /w/c.txt')
            .and.not.to.contain('a.txt');
        expect(tools.text([{ type: 'diff' }])?.text).to.contain('cannot be shown');
        expect(tools.text(edit(['/w/a.txt', 'a']).content!)).to.equal(undefined);
    });

    it('are bounded by their size, and the newest stays', () => {
        const texts = new EditTexts();
        const MIB = 1024 * 1024;
        const keep = (key: string, size: number): void =>
            texts.keep(key, { path: '', oldText: '', newText: 'x'.repeat(size), truncated: false });
        const kept = (): string[] => ['a', 'b', 'c', 'd'].filter(key => texts.get(key));
        keep('a', 7 * MIB);
        keep('b', 7 * MIB);
        keep('a', 7 * MIB);
        expect(kept()).to.deep.equal(['a', 'b']);
        keep('c', 7 * MIB);
        expect(kept()).to.deep.equal(['a', 'c']);
        keep('d', 20 * MIB);
        expect(kept()).to.deep.equal(['d']);
    });
});
