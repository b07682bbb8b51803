// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { fileMention, fileReference, slashCompletion } from './slash-commands';

describe('Completion at the chat input', () => {
    const commands = [{ name: 'compress-fast', description: 'Compresses', hint: '' }];

    it('offers commands where a message begins with a slash, also behind the mention', () => {
        for (const before of ['/', '@Qwen /', ' /comp', '@Qwen /compress-f']) {
            expect(slashCompletion(before, commands)?.commands, before).to.equal(commands);
        }
        expect(slashCompletion('@Qwen /compress-f', commands)?.typed).to.equal(10);
    });

    it('offers none elsewhere, and none before the daemon named its own', () => {
        for (const before of ['', 'see /', '/compress now', '@Other /', 'a/']) {
            expect(slashCompletion(before, commands), before).to.equal(undefined);
        }
        expect(slashCompletion('/', [])).to.equal(undefined);
    });

    it('takes what is typed behind @ for a file, unless it is the mention', () => {
        expect(fileMention('look at @src/gre')).to.equal('src/gre');
        expect(fileMention('look at @')).to.equal('');
        for (const before of ['@Qw', 'a@b', '@a b']) {
            expect(fileMention(before), before).to.equal(undefined);
        }
    });

    it('refers to a file as Theia does, where Theia understands the reference', () => {
        expect(fileReference('project/src/a-b_1.ts')).to.equal('#file:project/src/a-b_1.ts ');
        expect(fileReference('project/my notes.md')).to.equal('project/my notes.md ');
    });
});
