// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { NotificationContentRenderer } from '@theia/messages/lib/browser/notification-content-renderer';
import { Notification, NotificationManager, NotificationUpdateEvent } from '@theia/messages/lib/browser/notifications-manager';
import { expect } from 'chai';
import { FakeServices } from '../test/fake-services';
import { ClosableMessages } from './closable-messages';

describe('Messages that go when what they are about ends', () => {
    let messages: ClosableMessages;
    /** The messages that Theia shows, the oldest first. */
    let shown: Array<Notification & { answer(label?: string): void }>;
    const onUpdated = new Emitter<NotificationUpdateEvent>();

    beforeEach(() => {
        shown = [];
        const services = new FakeServices();
        const show = (text: string, _: object, ...actions: string[]): Promise<string | undefined> =>
            new Promise(resolve => {
                const messageId = `${shown.length}`;
                const answer = (label?: string): void => {
                    shown = shown.filter(notification => notification.messageId !== messageId);
                    resolve(label);
                };
                shown.push({ messageId, message: `rendered ${text}`, type: 'info', actions, answer } as never);
            });
        services.bind(MessageService, { info: show, warn: show });
        services.bind(NotificationManager, {
            onUpdated: onUpdated.event,
            clear: (id: string) => shown.find(({ messageId }) => messageId === id)?.answer()
        });
        services.bind(NotificationContentRenderer, { renderMessage: (text: string) => `rendered ${text}` });
        messages = services.create(ClosableMessages);
    });

    /** Theia tells of changes a moment later. */
    function update(): void {
        onUpdated.fire({ notifications: shown, toasts: [], toastState: 'open', visibilityState: 'hidden' } as never);
    }

    function texts(): string[] {
        return shown.map(({ message }) => message.replace('rendered ', ''));
    }

    it('a message that is disposed goes, and no other one', async () => {
        const first = messages.show('info', 'first', 'Show');
        messages.show('info', 'second', 'Show');
        update();
        first.dispose();
        expect(texts()).to.deep.equal(['second']);
        expect(await first.answer).to.equal(undefined);
    });

    it('a message that Theia does not list yet goes as soon as it does', () => {
        messages.show('warn', 'first').dispose();
        expect(texts()).to.deep.equal(['first']);
        update();
        expect(texts()).to.deep.equal([]);
    });

    it('the button that the user pressed is the answer', async () => {
        const message = messages.show('info', 'text', 'Show', 'Discard');
        shown[0].answer('Discard');
        expect(await message.answer).to.equal('Discard');
    });

    it('a message that has gone takes no later one with it that says the same', async () => {
        const first = messages.show('info', 'same', 'Show');
        shown[0].answer();
        await first.answer;
        messages.show('info', 'same', 'Show');
        update();
        first.dispose();
        expect(texts()).to.deep.equal(['same']);
    });

    it('the same text with other buttons is another message', () => {
        const first = messages.show('info', 'same', 'Show');
        messages.show('info', 'same', 'Discard');
        update();
        first.dispose();
        expect(shown.map(({ actions }) => actions)).to.deep.equal([['Discard']]);
    });
});
