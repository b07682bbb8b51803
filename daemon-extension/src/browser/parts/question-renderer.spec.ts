// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { OpenerService } from '@theia/core/lib/browser/opener-service';
import { ReactRenderer } from '@theia/core/lib/browser/widgets/react-renderer';
import { timeout } from '@theia/core/lib/common/promise-util';
import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { samplePermission } from '../test/sample-permission';
import { QuestionContent } from './question-content';
import { QuestionRenderer } from './question-renderer';

describe('A question of the model with several choices', () => {
    let fixture: ChatFixture;
    beforeEach(() => (fixture = new ChatFixture()));
    afterEach(() => fixture.connection.disable());

    it('can be answered again if the answer was not taken, or the user did not type one', async () => {
        const request = await fixture.begin();
        const questions = [{ header: '', question: 'Which?', options: [{ label: 'Red', description: '' }], multiSelect: true }];
        fixture.backend.say({ kind: 'permission', turnId: request.id, permission: samplePermission({ questions, diff: undefined }) });
        const part = ChatFixture.question(request) as QuestionContent;
        const container = new Container();
        container.bind(OpenerService).toConstantValue({});
        container.bind(QuestionRenderer).toSelf();
        const renderer = container.get(QuestionRenderer);
        expect(renderer.canHandle(part), "before Theia's").to.be.greaterThan(10);
        const shown = new (class extends ReactRenderer {
            protected override doRender(): ReturnType<QuestionRenderer['render']> {
                return renderer.render(part, { response: request.response } as unknown as ResponseNode);
            }
        })();
        const press = async (text: string): Promise<void> => {
            shown.render();
            await timeout(10);
            const button = [...shown.host.querySelectorAll('button')].find(({ textContent }) => textContent === text);
            expect(button?.disabled, text).to.equal(false);
            button?.click();
            await timeout(10);
        };
        const confirm = async (...texts: string[]): Promise<void> => {
            for (const text of [...texts, 'Confirm']) {
                await press(text);
            }
        };
        await confirm('Red', 'Other…');
        expect([part.selectedOptions, fixture.backend.votes]).to.deep.equal([undefined, []]);
        fixture.backend.voteResult = { ok: false, problem: { code: 'no-answer' } };
        await confirm('Red');
        expect(part.selectedOptions).to.equal(undefined);
        await confirm('Red');
        expect(fixture.backend.votes).to.have.length(2);
        shown.dispose();
    });
});
