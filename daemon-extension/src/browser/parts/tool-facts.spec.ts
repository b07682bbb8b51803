// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ToolDetails } from './tool-content';
import { lastLines, toolFacts } from './tool-facts';

describe('What a tool call shows', () => {
    const details = (toolKind: string, more: Partial<ToolDetails> = {}): ToolDetails => ({
        edit: { sessionId: 's', turnId: 't', toolId: 'c' },
        title: 'Tool',
        toolKind,
        status: 'completed',
        truncated: false,
        ...more
    });
    const result = (output: string, code: number, error = '(none)'): string =>
        `Command: npm test\nDirectory: (root)\nOutput: ${output}\nError: ${error}\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: 7`;

    it('is the command and what it said, without what is for the model', () => {
        const args = JSON.stringify({ command: 'npm test', is_background: false });
        expect(toolFacts(args, result('one\nError: two\nthree', 0), details('execute')).command).to.equal('npm test');
        expect(toolFacts(args, result('all\ngreen', 0), details('execute'))).to.deep.equal({
            command: 'npm test',
            output: 'all\ngreen',
            exitCode: undefined
        });
        expect(toolFacts(args, result('(empty)', 1), details('execute'))).to.deep.include({ output: '', exitCode: 1 });
        expect(toolFacts(args, result('(empty)', 127, 'not found'), details('execute')).output).to.equal('not found');
        expect(toolFacts(args, 'Command was cancelled by user', details('execute')).output).to.equal('Command was cancelled by user');
    });

    it('is the file, and the lines that go and come', () => {
        const edit = JSON.stringify({ file_path: '/w/a.ts', old_string: 'a\nb\nc\n', new_string: 'a\nB\nBB\nc\n' });
        expect(toolFacts(edit, '', details('edit'))).to.deep.equal({ file: '/w/a.ts', change: { removed: ['b'], added: ['B', 'BB'] } });
        const write = JSON.stringify({ file_path: '/w/new.ts', content: 'one\ntwo\n' });
        expect(toolFacts(write, '', details('edit', { diff: { path: '/w/new.ts', isNew: true } })).change).to.deep.equal({
            removed: [],
            added: ['one', 'two']
        });
        expect(toolFacts(write, '', details('edit', { diff: { path: '/w/new.ts', isNew: false } })).change).to.equal(undefined);
    });

    it('is what was read and looked for, and why a tool failed', () => {
        expect(toolFacts('{"file_path":"/w/a.ts","offset":9,"limit":20}', 'text', details('read'))).to.deep.equal({
            file: '/w/a.ts',
            lines: [10, 29]
        });
        expect(toolFacts('{"pattern":"TODO"}', 'Found 2', details('search'))).to.deep.equal({ pattern: 'TODO' });
        expect(toolFacts('{"file_path":"/w/a.ts"}', 'No such file\n', details('read', { status: 'failed' })).output).to.equal(
            'No such file'
        );
    });

    it('is nothing of arguments that are cut', () => {
        expect(toolFacts('{"command":"npm te…', 'x', details('execute'))).to.deep.include({ command: undefined, output: 'x' });
        expect([lastLines('1\n2\n3', 2), lastLines('1\n2', 2)]).to.deep.equal(['…\n2\n3', '1\n2']);
    });
});
