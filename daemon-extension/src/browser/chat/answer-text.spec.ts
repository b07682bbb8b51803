// SPDX-License-Identifier: Apache-2.0

import { CodeChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';

describe("An answer's text", () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    it('[F13d] is not made anew with every word: what is before its last paragraph stays', async () => {
        const request = await fixture.begin();
        const answer = Array.from(
            { length: 200 },
            (_, index) => `Paragraph ${index}.\n\n\`\`\`typescript\nlet a = ${index};\n\nlet b;\n\`\`\`\n\n- one\n\n  two\n\n`
        ).join('');
        const { content } = request.response.response;
        let first: unknown;
        for (let index = 0; index < answer.length; index += 50) {
            fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: answer.slice(index, index + 50) });
            first = index === 10_000 ? content[1] : first;
        }
        expect(first).to.equal(content[1]);
        const plain = (text: string): string => text.replace(/\s/g, '');
        expect(plain(content.map(part => part.asString?.() ?? '').join('')) === plain(answer)).to.equal(true);
        expect(content.filter(part => CodeChatResponseContent.is(part))).to.have.length(200);
    });

    it('makes code blocks parts of their own while it grows', async () => {
        const request = await fixture.begin();
        const kinds = (): string[] => request.response.response.content.map(({ kind }) => kind).filter(kind => kind !== 'qwenDaemonTurn');
        const say = (text: string): void => fixture.backend.say({ kind: 'text', turnId: 'turn-1', text });
        say('Before\n\n```ts\nconst a');
        expect(kinds()).to.deep.equal(['markdownContent', 'code']);
        say(' = 1;\n```\n');
        say('\nBehind');
        expect(kinds()).to.deep.equal(['markdownContent', 'code', 'markdownContent']);
        expect(ChatFixture.shown(request)[1]).to.equal('```typescript\nconst a = 1;\n```');
    });

    it('[F4] keeps a code block whole if Qwen says something beside the answer', async () => {
        const request = await fixture.begin();
        const say = (text: string): void => fixture.backend.say({ kind: 'text', turnId: 'turn-1', text });
        say('Before\n\n```ts\nconst a');
        fixture.backend.say({ kind: 'notice', turnId: 'turn-1', notice: { code: 'background', text: 'Done.' } });
        say(' = 1;\n```\n');
        say('\nBehind');
        const shown = ChatFixture.shown(request).filter(text => text.trim());
        expect(shown.map(text => text.trim())).to.deep.equal(['Before', '```typescript\nconst a = 1;\n```', 'notice Done.', 'Behind']);
    });

    it('gives code blocks the language that an editor knows, and leaves the code as it is', async () => {
        const request = await fixture.begin();
        const block = (fence: string): string => `\`\`\`${fence}\n    indented\n\`\`\`\n\n`;
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: ['js', 'c++', 'Python', 'bash {1}', ''].map(block).join('') });
        const blocks = request.response.response.content.filter(part => CodeChatResponseContent.is(part));
        expect(blocks.map(({ language }) => language)).to.deep.equal(['javascript', 'cpp', 'Python', 'shellscript', '']);
        expect(new Set(blocks.map(({ code }) => code))).to.deep.equal(new Set(['    indented']));
    });
});
