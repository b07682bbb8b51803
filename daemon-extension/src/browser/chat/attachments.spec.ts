// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChatContext, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ImageContextVariable } from '@theia/ai-chat/lib/common/image-context-variable';
import { ParsedChatRequestTextPart, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { ChatFixture } from '../test/chat-fixture';

describe('Images of a message', () => {
    let fixture: ChatFixture;

    beforeEach(() => (fixture = new ChatFixture()));

    const pasted = { name: 'pasted-image-1.png', mimeType: 'image/png', data: 'cGl4ZWxz' };
    const resolved = (image: ImageContextVariable): ReturnType<typeof ImageContextVariable.resolve> =>
        ImageContextVariable.resolve(ImageContextVariable.createRequest(image));

    /** A message as Theia's input makes it where an image stands in its text. */
    function request(arg: string, image?: ImageContextVariable, context?: ChatContext): MutableChatRequestModel {
        const part = new ParsedChatRequestVariablePart({ start: 8, endExclusive: 9 }, 'imageContext', arg);
        if (image) {
            part.resolution = resolved(image);
        }
        return fixture.chat.addRequest(
            {
                request: { text: `what is #imageContext:${arg}`, modeId: 'default' },
                parts: [new ParsedChatRequestTextPart({ start: 0, endExclusive: 8 }, 'what is '), part],
                toolRequests: new Map(),
                variables: image ? [resolved(image)] : []
            },
            'Qwen',
            context
        );
    }
    it('go with the prompt, which names them', async () => {
        await fixture.agent.invoke(request('pasted_image', pasted));
        expect(fixture.backend.prompts[0]).to.deep.include({ text: 'what is pasted-image-1.png', images: [pasted] });
    });

    it('that are attached at the input go with it, too', async () => {
        const picked = { name: 'shot.png', wsRelativePath: 'project/img/shot.png', mimeType: 'image/png', data: 'c2hvdA==' };
        await fixture.agent.invoke(request('pasted_image', pasted, { variables: [resolved(picked)] }));
        expect(fixture.backend.prompts[0].images?.map(({ name }) => name)).to.deep.equal(['project/img/shot.png', 'pasted-image-1.png']);
    });

    it('that cannot be sent: the message says why, and nothing is sent', async () => {
        const told = async (arg: string, image?: ImageContextVariable): Promise<string> => {
            const refused = request(arg, image);
            await fixture.agent.invoke(refused);
            return ChatFixture.shown(refused).join();
        };
        expect(await told('gone.png')).to.contain('the image gone.png could not be read');
        expect(await told('a.svg', { ...pasted, name: 'a.svg', mimeType: 'image/svg+xml' })).to.contain('PNG, JPEG, GIF, WebP or BMP');
        expect(fixture.backend.opened).to.deep.equal([]);
    });

    it('of messages that were asked elsewhere are named, and not where they are shown', async () => {
        const own = request('pasted_image', pasted);
        await fixture.agent.invoke(own);
        const { backend } = fixture;
        backend.say(
            { kind: 'turn', turnId: own.id, origin: 'own', prompt: 'what is' },
            { kind: 'notice', turnId: own.id, notice: { code: 'prompt-image', name: 'a.png' } },
            { kind: 'turn', turnId: 'turn-2', origin: 'other', prompt: 'and that?' },
            { kind: 'notice', turnId: 'turn-2', notice: { code: 'prompt-image', name: 'b.png' } }
        );
        expect(ChatFixture.shown(own).join()).not.to.contain('a.png');
        expect(ChatFixture.shown(fixture.chat.getRequests()[1]).join()).to.contain('had an image, which is not shown here: b.png');
    });
});
