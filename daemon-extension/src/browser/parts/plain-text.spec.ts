// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { textAsBlock, textAsMarkdown } from './plain-text';

describe('Plain text in Markdown', () => {
    it('leaves no syntax that makes links, images, code or HTML', () => {
        const text = textAsMarkdown('[run](command:x) ![i](http://h/p.png) <b>`c`</b> http://h');
        expect(text.replace(/\\[^\w\s]/g, '')).not.to.match(/[[\]()`<>!:]/);
    });

    it('cannot be left by a fence inside', () => {
        const block = textAsBlock('a\n````\n[x](y)\n````');
        expect(block.startsWith('`````\n')).to.equal(true);
        expect(block.endsWith('\n`````')).to.equal(true);
    });
});
