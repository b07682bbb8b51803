// SPDX-License-Identifier: Apache-2.0

import { ParsedChatRequestTextPart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { expect } from 'chai';
import { promptText, showAsTyped } from './chat-requests';

describe('What a message shows', () => {
    const typed = 'Use Promise<string> & `Map<K, V>`:\n```ts\nlet a: List<Foo>;\n```\n<div> ` <b>';

    it('is what was typed in angle brackets too, which Theia would take for HTML; what is sent is not changed', () => {
        const message = {
            request: { text: typed },
            parts: [new ParsedChatRequestTextPart({ start: 0, endExclusive: typed.length }, typed)],
            toolRequests: new Map(),
            variables: []
        };
        showAsTyped(message);
        expect(message.parts[0].text).to.equal(
            'Use Promise&lt;string> &amp; `Map<K, V>`:\n```ts\nlet a: List<Foo>;\n```\n&lt;div> ` &lt;b>'
        );
        expect(promptText(message)).to.equal(typed);
    });
});
