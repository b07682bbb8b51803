// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { NotificationContentRenderer } from '@theia/messages/lib/browser/notification-content-renderer';
import { Notification, NotificationManager } from '@theia/messages/lib/browser/notifications-manager';
import { plainText } from '../../common/plain-text';

/** A message in the corner of the window. Disposing it takes it away. */
export interface ClosableMessage extends Disposable {
    /** The label of the button that the user pressed; `undefined` if the message went without one. */
    readonly answer: Promise<string | undefined>;
}

/**
 * Messages that go when what they are about ends. Theia (1.74) keeps a message that has a button until the user closes it, and
 * gives no handle for it: we find it again in the list of all messages.
 */
@injectable()
export class ClosableMessages {
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(NotificationManager)
    protected readonly manager: NotificationManager;
    @inject(NotificationContentRenderer)
    protected readonly renderer: NotificationContentRenderer;

    protected shown: readonly Notification[] = [];
    /** The messages to close that are not in the list yet: Theia gathers changes of it for 250 ms. */
    protected readonly closing = new Set<string>();

    @postConstruct()
    protected init(): void {
        this.manager.onUpdated(({ notifications }) => {
            this.shown = notifications;
            this.close();
        });
    }

    show(severity: 'info' | 'warn', text: string, ...buttons: string[]): ClosableMessage {
        const plain = plainText(text);
        const key = keyOf(this.renderer.renderMessage(plain), buttons);
        this.closing.delete(key);
        let open = true;
        const answer = this.messages[severity](plain, { timeout: 0 }, ...buttons).finally(() => {
            open = false;
            this.closing.delete(key);
        });
        const dispose = (): void => {
            if (open) {
                this.closing.add(key);
                this.close();
            }
        };
        return { answer, dispose };
    }

    protected close(): void {
        this.shown
            .filter(({ message, actions }) => this.closing.has(keyOf(message, actions)))
            .forEach(({ messageId }) => this.manager.clear(messageId));
    }
}

function keyOf(message: string, buttons: readonly string[]): string {
    return [message, ...buttons].join('\0');
}
