// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { slashCompletion } from './slash-commands';

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
});
