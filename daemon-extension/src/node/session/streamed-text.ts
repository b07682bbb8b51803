// SPDX-License-Identifier: Apache-2.0

import { SessionEvent, TextEvent } from '../../common/session-events';
import { Redactor } from '../config/redactor';

/**
 * Takes a secret out of a text that comes in pieces, also if two pieces share it. An end that may begin a secret is held back until
 * the next event comes.
 */
export class StreamedText {
    protected held: TextEvent | undefined;

    constructor(protected readonly redactor: Redactor) {}

    /** @returns the events that can go out now, in their order */
    pass(event: SessionEvent): SessionEvent[] {
        // These come between pieces of text, and the page shows them elsewhere.
        if (event.kind === 'usage' || event.kind === 'context') {
            return [event];
        }
        const before = this.held;
        this.held = undefined;
        if (!isText(event)) {
            return before ? [before, event] : [event];
        }
        const continued = before && continues(before, event);
        const text = this.redactor.redact((continued ? before.text : '') + event.text, Infinity);
        const end = text.length - this.redactor.secretBegunAtEnd(text);
        this.held = end < text.length ? { ...event, text: text.slice(end) } : undefined;
        return [...(before && !continued ? [before] : []), ...(end > 0 ? [{ ...event, text: text.slice(0, end) }] : [])];
    }

    /** Nothing that was said goes on. */
    forget(): void {
        this.held = undefined;
    }
}

export function isText<E extends SessionEvent>(event: E): event is E & TextEvent {
    return event.kind === 'text' || event.kind === 'thought';
}

/** Whether two texts are one to a reader. */
export function continues(last: TextEvent, event: TextEvent): boolean {
    return last.kind === event.kind && last.turnId === event.turnId;
}
