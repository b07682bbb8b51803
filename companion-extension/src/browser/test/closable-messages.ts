// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';

interface FakeMessage {
    readonly text: string;
    readonly buttons: readonly string[];
    readonly answer: Deferred<string | undefined>;
    isGone: boolean;
}

/** Keeps the messages that it shows, for the test to press their buttons. */
export class FakeClosableMessages implements Pick<ClosableMessages, 'show'> {
    readonly shown: FakeMessage[] = [];

    show(_: 'info' | 'warn', text: string, ...buttons: string[]): ClosableMessage {
        const message: FakeMessage = { text, buttons, answer: new Deferred(), isGone: false };
        this.shown.push(message);
        return { answer: message.answer.promise, dispose: () => (message.isGone = true) };
    }

    get texts(): string[] {
        return this.shown.map(({ text }) => text);
    }

    /** @param label absent: the user closes the message */
    async press(index: number, label?: string): Promise<void> {
        const { answer } = this.shown[index];
        answer.resolve(label);
        await answer.promise;
        // Who waits for it goes on.
        await Promise.resolve();
    }
}
