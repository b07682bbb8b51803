// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as markdownit from '@theia/core/shared/markdown-it';
import { plainText, withoutIcons } from './plain-text';

describe('plainText', () => {
    // As Theia renders messages, and with HTML allowed, which is worse.
    const renderers = [markdownit(), markdownit({ html: true, linkify: true, typographer: true })];

    function shown(html: string): string {
        const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
        return html.replace(/^<p>|<\/p>\n$/g, '').replace(/&(\w+);/g, (_match, name: string) => entities[name]);
    }

    const texts = [
        '<img src=x onerror=alert(1)>',
        '<script>alert(1)</script>',
        '**bold** _it_ ~~gone~~ `code`',
        '[click](javascript:alert(1)) ![x](y)',
        '# heading',
        '&lt;b&gt; &#60;i&#62;',
        '---',
        '| a | b |'
    ];
    for (const text of texts) {
        it(`S22: shows ${text} as it is`, () => {
            renderers.forEach(renderer => expect(shown(renderer.render(plainText(text)))).to.equal(text));
        });
    }

    it('S22: shows what is invisible', () => {
        expect(shown(markdownit().render(plainText('a\u202eb\nc')))).to.equal('a[U+202E]b[U+000A]c');
    });
});

describe('withoutIcons', () => {
    it('shows text of a CLI or a file name as text', () => {
        expect(withoutIcons('$(trash) a.txt')).to.not.match(/\$\(/);
    });
});
