// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChatContext, MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ImageContextVariable } from '@theia/ai-chat/lib/common/image-context-variable';
import { ParsedChatRequestTextPart, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { ChatFixture } from '../test/chat-fixture';
import { restoreImages } from './request-images';

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
    const shown = ({ message }: MutableChatRequestModel): string[] =>
        ImageContextVariable.extractInlineImages(message.parts).map(({ data }) => data);

    it('go with the prompt, which names them', async () => {
        await fixture.agent.invoke(request('pasted_image', pasted));
        expect(fixture.backend.prompts[0]).to.deep.include({ text: 'what is pasted-image-1.png', images: [pasted] });
    });

    it('that are attached at the input go with one message, and stay there if it was not sent', async () => {
        const picked = { name: 'shot.png', wsRelativePath: 'project/img/shot.png', mimeType: 'image/png', data: 'c2hvdA==' };
        fixture.chat.context.addVariables(ImageContextVariable.createRequest(picked));
        const context: ChatContext = { variables: [resolved(picked)] };
        fixture.backend.promptResult = { ok: false, problem: { code: 'no-answer', call: 'upload-image' } };
        const failed = request('pasted_image', pasted, context);
        await fixture.agent.invoke(failed);
        expect(ChatFixture.shown(failed)[0]).to.match(/^problem no-answer: An image could not be sent, so the prompt was not sent/);
        expect(fixture.chat.context.getVariables()).to.have.length(1);
        fixture.backend.promptResult = undefined;
        await fixture.agent.invoke(request('pasted_image', pasted, context));
        expect(fixture.backend.prompts[1].images?.map(({ name }) => name)).to.deep.equal(['project/img/shot.png', 'pasted-image-1.png']);
        expect(fixture.chat.context.getVariables()).to.deep.equal([]);
    });

    it('that Theia cannot find are read, and shown in the message: files from the explorer', async () => {
        fixture.imageFiles['project/img/dot.png'] = { mimeType: 'image/png', data: 'ZG90' };
        const dropped = request('project/img/dot.png');
        await fixture.agent.invoke(dropped);
        expect(fixture.backend.prompts[0].images).to.deep.equal([{ name: 'project/img/dot.png', mimeType: 'image/png', data: 'ZG90' }]);
        expect(shown(dropped)).to.deep.equal(['ZG90']);
    });

    it('are sent again with a message that is sent again, although Theia forgot them', async () => {
        fixture.backend.promptResult = { ok: false, problem: { code: 'no-answer', call: 'upload-image' } };
        await fixture.agent.invoke(request('pasted_image', pasted));
        fixture.backend.promptResult = undefined;
        const again = request('pasted_image');
        await fixture.agent.invoke(again);
        expect(fixture.backend.prompts[1].images).to.deep.equal([pasted]);
        expect(shown(again)).to.deep.equal([pasted.data]);
    });

    it('that cannot be sent: the message says why, and nothing is sent', async () => {
        fixture.imageFiles['large.png'] = 'too-large';
        const told = async (arg: string, image?: ImageContextVariable): Promise<string> => {
            const refused = request(arg, image);
            await fixture.agent.invoke(refused);
            return ChatFixture.shown(refused).join();
        };
        expect(await told('large.png')).to.contain('The image large.png is too large: Qwen takes 8 MiB at most.');
        expect(await told('gone.png')).to.contain('The image gone.png could not be read.');
        expect(await told('a.svg', { ...pasted, name: 'a.svg', mimeType: 'image/svg+xml' })).to.contain(
            'only PNG, JPEG, GIF, WebP and BMP'
        );
        expect(fixture.backend.opened).to.deep.equal([]);
    });

    it('are shown again after a reload of the page, also of a message that was sent again', async () => {
        request('pasted_image', pasted);
        await fixture.agent.invoke(request('pasted_image'));
        const restored = new MutableChatModel(JSON.parse(JSON.stringify(fixture.chat.toSerializable()))).getRequests();
        expect(restored.map(shown)).to.deep.equal([[], []]);
        restored.forEach(restoreImages);
        expect(restored.map(shown)).to.deep.equal([[pasted.data], [pasted.data]]);
    });

    it('of messages that were asked elsewhere are named, and not where they are shown', async () => {
        const own = request('pasted_image', pasted);
        await fixture.agent.invoke(own);
        const { backend } = fixture;
        backend.say(
            { kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: own.id, prompt: 'what is' },
            { kind: 'notice', turnId: 'turn-1', notice: { code: 'prompt-image', name: 'a.png' } },
            { kind: 'turn', turnId: 'turn-2', origin: 'other', prompt: 'and that?' },
            { kind: 'notice', turnId: 'turn-2', notice: { code: 'prompt-image', name: 'b.png' } }
        );
        expect(ChatFixture.shown(own).join()).not.to.contain('a.png');
        expect(ChatFixture.shown(fixture.chat.getRequests()[1]).join()).to.contain('had an image, which is not shown here: b.png');
    });
});
