// SPDX-License-Identifier: Apache-2.0

import { ChatContentDeserializerRegistryImpl } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { samplePermission } from '../test/sample-permission';
import { PermissionContent } from './permission-content';
import { QwenContentDeserializers } from './qwen-content-deserializers';

describe('A permission in a response', () => {
    it('offers first what is allowed once, and last what is allowed for ever', () => {
        const options = [
            { id: 'restore_previous', label: 'Yes, restore previous mode (auto)', role: 'allow_once' as const },
            { id: 'proceed_always', label: 'Yes, and auto-accept edits', role: 'allow_always' as const },
            { id: 'proceed_once', label: 'Yes, and manually approve edits', role: 'allow_once' as const },
            { id: 'cancel', label: 'No, keep planning (esc)', role: 'reject_once' as const }
        ];
        expect(PermissionContent.inOrder(options).map(({ id }) => id)).to.deep.equal([
            'proceed_once',
            'restore_previous',
            'cancel',
            'proceed_always'
        ]);
    });

    it('names no key of the terminal, neither on its button nor in the line that says the answer', () => {
        const options = [{ id: 'cancel', label: 'No, keep planning (esc)', role: 'reject_once' as const }];
        const asked = new PermissionContent(samplePermission({ options }), new ChatFixture().request('plan'), () => undefined);
        asked.decide(false);
        const stored = new PermissionContent({ ...samplePermission({ options }), answer: 'No, keep planning (esc)' });
        for (const { selectedOption, allowed } of [asked, stored]) {
            expect(selectedOption?.text).to.equal('No, keep planning');
            expect(allowed).to.equal(false);
        }
    });

    it('a permission in a response is stored with the chat, with its plan and its answer', async () => {
        const asked = new PermissionContent(samplePermission({ plan: '# Plan' }));
        asked.selectedOption = { text: 'Allow' };
        const registry = new ChatContentDeserializerRegistryImpl();
        new QwenContentDeserializers().registerDeserializers(registry);
        const restored = await registry.deserialize(JSON.parse(JSON.stringify(asked.toSerializable())));
        expect(restored).to.be.instanceOf(PermissionContent);
        const { permission, selectedOption, allowed, isReadOnly } = restored as PermissionContent;
        expect(permission.plan).to.equal('# Plan');
        expect({ selectedOption, allowed, isReadOnly }).to.deep.equal({
            selectedOption: { text: 'Allow' },
            allowed: true,
            isReadOnly: true
        });
    });
});
