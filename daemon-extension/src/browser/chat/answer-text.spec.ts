// SPDX-License-Identifier: Apache-2.0

import { CodeChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { URI } from '@theia/core/lib/common/uri';
import * as markdownit from '@theia/core/shared/markdown-it';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { withFileLinks, withTags } from './answer-text';

describe("An answer's text", () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.dispose());

    const link = (markdown: string): string => withFileLinks(markdown, '/work/project');

    it('links files of the workspace, with their lines', () => {
        expect(link('See [a](src/a.ts), [b](./b.ts#L3) and [c](/etc/c%20d:7:2).')).to.equal(
            'See [a](/work/project/src/a.ts), [b](/work/project/b.ts#L3) and [c](/etc/c%20d#L7).'
        );
    });

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

    it('makes links that Theia renders and opens', () => {
        for (const target of ['src/a.ts#L3', '/work/project/src/a.ts:3', 'file:///work/project/src/a.ts#L3']) {
            const [, href] = /href="([^"]+)"/.exec(markdownit({ html: true }).render(link(`[a](${target})`))) ?? [];
            expect(new URI(href).toString(), target).to.equal('file:///work/project/src/a.ts#L3');
        }
    });

    it('[F13m] makes no link that runs a command of Theia, however it is written', () => {
        const written = [
            '[run](command:workbench.action.quit)',
            '[run](COMMAND:x?%5B%22a%22%5D)',
            '[run](<command:x>)',
            '[run](&#99;ommand:x)',
            '[run](c\\ommand:x)',
            '[run](command&colon;x)',
            '[run](vscode:x)',
            '[run][1]\n\n[1]: command:x',
            '[run](command:x "title")',
            '<command:x>'
        ];
        for (const markdown of written) {
            const html = markdownit({ html: true }).render(withFileLinks(withTags(markdown), '/work/project'));
            expect(html, markdown).not.to.match(/href="[^"]*(?:command|vscode)/i);
            expect(html, markdown).to.match(/run|command/);
        }
        expect(link('[a](src/a.ts:12) [b](my%20file.ts)')).to.equal('[a](/work/project/src/a.ts#L12) [b](/work/project/my%20file.ts)');
    });

    it('leaves other links, images and text as they are', () => {
        const text = '[x](https://h/a.ts) [y](#top) [z](mailto:a@b) ![i](src/i.png)';
        expect(link(text)).to.equal(text);
        expect(withFileLinks('[a](src/a.ts)', '')).to.equal('[a](src/a.ts)');
    });

    it('shows what stands in <> outside code, and leaves code, addresses and line breaks as they are', () => {
        const seen = (markdown: string): string =>
            markdownit({ html: true })
                .render(withTags(markdown))
                .replace(/<[^>]*>/g, '')
                .replace(/&lt;/g, '<')
                .replace(/&gt;/g, '>')
                .trim();
        const same = [
            'Use Promise<string> and <T extends X>, not List<Foo>.',
            '- a\n- b\n    Map<K, V> of it\n\n    Set<V>',
            'a `b` < c',
            'A <div>\n\nelement'
        ];
        for (const markdown of same) {
            expect(seen(markdown).replace(/\s+/g, ' '), markdown).to.equal(markdown.replace(/`|^- |(?<=\n)- /g, '').replace(/\s+/g, ' '));
        }
        const unchanged = [
            '`a<b>` ``c`<d>`` <https://h/a> <br> \\<x>',
            'Code:\n\n    List<Foo>\n\tMap<K>',
            '~~~ts\nList<Foo>\n\nSet<V>\n~~~',
            '- item\n  ```ts\n  List<Foo>\n  ```'
        ];
        expect(unchanged.map(withTags)).to.deep.equal(unchanged);
        expect(withTags('a `b\n\nList<Foo> `c')).to.equal('a `b\n\nList\\<Foo> `c');
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

    it('gives code blocks the language that an editor knows, and leaves the code as it is', async () => {
        const request = await fixture.begin();
        const block = (fence: string): string => `\`\`\`${fence}\n    indented\n\`\`\`\n\n`;
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: ['js', 'c++', 'Python', 'bash {1}', ''].map(block).join('') });
        const blocks = request.response.response.content.filter(part => CodeChatResponseContent.is(part));
        expect(blocks.map(({ language }) => language)).to.deep.equal(['javascript', 'cpp', 'Python', 'shellscript', '']);
        expect(new Set(blocks.map(({ code }) => code))).to.deep.equal(new Set(['    indented']));
    });
});
