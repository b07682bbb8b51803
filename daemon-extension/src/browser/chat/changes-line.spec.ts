// SPDX-License-Identifier: Apache-2.0

import { MarkdownString } from '@theia/core/lib/common/markdown-rendering/markdown-string';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { sampleTool } from '../test/sample-permission';

describe('The line of what Qwen changed', () => {
    let fixture: ChatFixture;
    let edits = 0;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const edit = (turnId: string, file: string, status: 'completed' | 'failed' = 'completed'): SessionEvent => ({
        kind: 'tool',
        turnId,
        tool: sampleTool({ id: `call-${++edits}`, status, diff: { path: `/work/project/${file}`, isNew: false } })
    });
    const count = (files: number | undefined): void => {
        fixture.changes.count = files;
        fixture.onDidChangeChanges.fire();
    };
    const shown = (): string[] =>
        fixture.chat.suggestions.map(suggestion => (MarkdownString.is(suggestion) ? suggestion.value : String(suggestion)));

    it('says how many files wait for the user, also those that no tool names, and leads to them', async () => {
        count(2);
        expect(shown(), 'of another chat').to.deep.equal([]);
        const { id } = await fixture.begin();
        fixture.backend.say({ kind: 'text', turnId: id, text: 'Done by a command.' });
        expect(shown()).to.deep.equal(['2 files changed. [Review](command:companion.changes.review)']);
        count(1);
        expect(shown()).to.deep.equal(['1 file changed. [Review](command:companion.changes.review)']);
        count(0);
        expect(shown()).to.deep.equal([]);
    });

    it('leaves what another agent suggests', async () => {
        await fixture.begin();
        fixture.chat.setSuggestions(['Ask me']);
        count(1);
        count(3);
        expect(shown()).to.deep.equal(['Ask me', '3 files changed. [Review](command:companion.changes.review)']);
        count(0);
        expect(shown()).to.deep.equal(['Ask me']);
    });

    it('names the files of the newest turn that changed any, and leads nowhere, where they are not followed', async () => {
        const { id } = await fixture.begin();
        fixture.backend.say(edit(id, 'old.ts'), { kind: 'end', turnId: id, outcome: 'completed' });
        expect(shown()).to.deep.equal(['Qwen changed old.ts.']);
        const next = await fixture.begin('next');
        fixture.backend.say(edit(next.id, 'a_b.ts'), edit(next.id, 'c.ts'), edit(next.id, 'a_b.ts'), edit(next.id, 'no.ts', 'failed'));
        expect(shown()).to.deep.equal(['Qwen changed a\\_b.ts, c.ts.']);
        const last = await fixture.begin('last');
        fixture.backend.say({ kind: 'text', turnId: last.id, text: 'Nothing to do.' });
        expect(shown(), 'nothing new').to.deep.equal(['Qwen changed a\\_b.ts, c.ts.']);
    });
});
