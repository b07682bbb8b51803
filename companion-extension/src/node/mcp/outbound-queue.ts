// SPDX-License-Identifier: Apache-2.0

import { IdeContext } from '../../common/ide-context';

export type CompanionNotification =
    | { readonly method: 'ide/contextUpdate'; readonly params: IdeContext }
    | { readonly method: 'ide/diffAccepted'; readonly params: { readonly filePath: string; readonly content: string } }
    | { readonly method: 'ide/diffRejected'; readonly params: { readonly filePath: string } };

/**
 * What a session has yet to be told. Of the context only the newest counts; outcomes are kept in order, since a CLI
 * waits for each without a limit. The SDK drops a notification without a word while no stream is open.
 */
export class OutboundQueue {
    private context: CompanionNotification | undefined;
    private readonly outcomes: CompanionNotification[] = [];

    private characters = 0;

    /**
     * @param maxOutcomes a CLI shows one diff at a time: more than a few mean that it has stopped listening
     * @param maxCharacters of the outcomes' contents together; a single one of any size is taken
     */
    constructor(
        private readonly maxOutcomes = 256,
        private readonly maxCharacters = 64 * 1024 * 1024
    ) {}

    /** @returns false where the bound is reached: the notification is not taken */
    push(notification: CompanionNotification): boolean {
        if (notification.method === 'ide/contextUpdate') {
            this.context = notification;
            return true;
        }
        const size = sizeOf(notification);
        const isFull = this.outcomes.length >= this.maxOutcomes || this.characters + size > this.maxCharacters;
        if (isFull && this.outcomes.length > 0) {
            return false;
        }
        this.outcomes.push(notification);
        this.characters += size;
        return true;
    }

    /** The next one to send, context first, taken out of the queue. */
    shift(): CompanionNotification | undefined {
        const context = this.context;
        this.context = undefined;
        if (context) {
            return context;
        }
        const outcome = this.outcomes.shift();
        this.characters -= outcome ? sizeOf(outcome) : 0;
        return outcome;
    }

    /** What {@link shift} gave and could not be sent, to be the next one again; a newer context stands in its place. */
    putBack(notification: CompanionNotification): void {
        if (notification.method === 'ide/contextUpdate') {
            this.context ??= notification;
        } else {
            this.outcomes.unshift(notification);
            this.characters += sizeOf(notification);
        }
    }

    /** The outcomes that were not sent yet, taken out of the queue. */
    takeOutcomes(): CompanionNotification[] {
        this.characters = 0;
        return this.outcomes.splice(0);
    }

    /** Leaves out the outcomes of one file. */
    forget(filePath: string): void {
        this.takeOutcomes().forEach(outcome => isOutcomeOf(filePath, outcome.params) || this.push(outcome));
    }

    clear(): void {
        this.context = undefined;
        this.takeOutcomes();
    }
}

/** @param params of a notification */
export function isOutcomeOf(filePath: string, params: object | undefined): boolean {
    return params !== undefined && 'filePath' in params && params.filePath === filePath;
}

function sizeOf(notification: CompanionNotification): number {
    return notification.method === 'ide/diffAccepted' ? notification.params.content.length : 0;
}
