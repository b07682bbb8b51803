// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { linkTarget, htmlOf } from './plain-markdown';

describe('Markdown of the model', () => {
    const hrefs = (markdown: string): string[] => [...htmlOf(markdown).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    const targets = (markdown: string): string[] =>
        hrefs(markdown).map(href => {
            const { uri, line } = linkTarget(href, FileUri.create('/work/project'));
            return line === undefined ? uri.toString() : `${uri} line ${line}`;
        });

    it('links files of the workspace, with their lines, and addresses', () => {
        expect(
            targets('[a](src/a.ts), [b](./b.ts#L3), [c](/etc/c%20d:7:2), [d](d.ts:12), [e](file:///work/project/e.ts#L5)')
        ).to.deep.equal([
            'file:///work/project/src/a.ts',
            'file:///work/project/b.ts line 3',
            'file:///etc/c%20d line 7',
            'file:///work/project/d.ts line 12',
            'file:///work/project/e.ts line 5'
        ]);
        expect(targets('[x](https://h/a.ts) <https://h/b> [z](mailto:a@b)')).to.deep.equal([
            'https://h/a.ts',
            'https://h/b',
            'mailto:a%40b'
        ]);
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
            '<command:x>',
            '<a href="command:x">run</a>',
            '[run](command:1?%5B%5D)',
            '[run](javascript:1,alert(1))',
            '[run](data:1,x)'
        ];
        for (const markdown of written) {
            expect(
                targets(markdown).every(target => target.startsWith('file:///work/project/')),
                markdown
            ).to.equal(true);
            expect(hrefs(markdown).join(), markdown).not.to.match(/(?:^|,)\w+:/);
            expect(htmlOf(markdown), markdown).to.match(/run|command/);
        }
    });

    it('shows what stands in <> as it is, but for line breaks, and loads no images', () => {
        expect(htmlOf('Use Promise<string> and <T extends X>,<br>a <div>.\n\n<img src="https://h/i.png"> ![i](https://h/i.png)')).to.equal(
            '<p>Use Promise&lt;string&gt; and &lt;T extends X&gt;,<br>a &lt;div&gt;.</p>\n' +
                '<p>&lt;img src=&quot;https://h/i.png&quot;&gt; !<a href="https://h/i.png">i</a></p>\n'
        );
    });
});
