// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { message, readMessages } from './messages-api.mts';

describe('The Messages API of the scripted model', () => {
    const call = { type: 'tool_use', id: 'a', name: 'Edit', input: { file_path: '/ws/a' } };
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' };

    it('takes what a CLI adds behind a result for no new turn, and tools by their usual names', () => {
        const { turns } = readMessages({
            system: [{ type: 'text', text: 'Primary working directory: /ws\nPlatform: linux' }],
            messages: [
                { role: 'user', content: 'go' },
                { role: 'assistant', content: [call] },
                { role: 'user', content: [result] },
                { role: 'user', content: '<new-diagnostics>Wrong</new-diagnostics>' },
                { role: 'system', content: '<total_tokens>1000 tokens left</total_tokens>' }
            ]
        });
        expect(turns).to.have.length(1);
        expect(turns[0].text).to.equal("I'm currently working in the directory: /ws\ngo");
        expect(turns[0].calls).to.deep.equal([{ name: 'edit', args: { file_path: '/ws/a' }, result: 'done' }]);
    });

    it('has the prompt behind what a CLI adds to it', () => {
        const { turns } = readMessages({
            messages: [
                { role: 'user', content: 'what do you see?' },
                { role: 'system', content: 'The user opened the file /ws/a in the IDE.' }
            ]
        });
        expect(turns).to.deep.equal([{ text: 'The user opened the file /ws/a in the IDE.\nwhat do you see?', calls: [] }]);
    });

    it('calls a tool by the name that Claude Code has for it', () => {
        const { content } = message({ call: { name: 'run_shell_command', args: { command: 'ls', is_background: false } } }, 'm');
        expect(content).to.have.nested.property('[0].name', 'Bash');
        expect(content).to.have.deep.nested.property('[0].input', { command: 'ls' });
    });
});
