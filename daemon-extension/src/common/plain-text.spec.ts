// SPDX-License-Identifier: Apache-2.0

import * as markdownit from '@theia/core/shared/markdown-it';
import { expect } from 'chai';
import { textAsMarkdown } from './plain-text';

describe('Plain text in Markdown', () => {
    // With all that the chat's Markdown may do, and more.
    const render = (markdown: string): string => markdownit({ html: true, linkify: true }).render(markdown);

    it('leaves no syntax that makes links, images, code or HTML', () => {
        const text = textAsMarkdown('[run](command:x) ![i](http://h/p.png) <b>`c`</b> http://h');
        expect(text.replace(/\\[^\w\s]/g, '').replace(/&(lt|amp);/g, '')).not.to.match(/[[\]()`<>!:]/);
        expect(render(text)).not.to.match(/<(?!\/?p>)/);
    });

    it('keeps lines and makes no table of them', () => {
        expect(render(textAsMarkdown('a | b\n- | -\nc'))).to.equal('<p>a | b<br>\n- | -<br>\nc</p>\n');
    });

    it('S22: shows invisible characters', () => {
        expect(render(textAsMarkdown('a\u202eb'))).to.equal('<p>a[U+202E]b</p>\n');
    });
});
