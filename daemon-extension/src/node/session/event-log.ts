// SPDX-License-Identifier: Apache-2.0

import { Emitter, Event } from '@theia/core/lib/common/event';
import { SessionEvent, SessionEvents } from '../../common/qwen-daemon-protocol';

/** In milliseconds: how long events are gathered before a page gets them. */
const COALESCE_MS = 30;
/** Characters of all that is kept. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** What a session has sent to its pages, condensed for a page that comes later, or comes back. */
export class EventLog {
    protected readonly onDidAppendEmitter = new Emitter<SessionEvents>();
    /** Fires at most every 30 ms. */
    readonly onDidAppend: Event<SessionEvents> = this.onDidAppendEmitter.event;

    protected kept: SessionEvent[] = [];
    protected characters = 0;
    protected shortened = false;
    protected waiting: SessionEvent[] = [];
    /** The pages have nothing of this: the session was loaded again. */
    protected anew = false;
    protected timer: NodeJS.Timeout | undefined;

    constructor(protected readonly sessionId: string) {}

    append(...events: SessionEvent[]): void {
        for (const event of events) {
            if (!joins(this.waiting, event)) {
                this.waiting.push(event);
            }
            this.keep(event);
        }
        if (this.waiting.length > 0) {
            this.timer ??= setTimeout(() => this.flush(), COALESCE_MS);
        }
    }

    /** Everything before is superseded by what follows. The pages get that whole. */
    restart(): void {
        this.kept = [];
        this.characters = 0;
        this.shortened = false;
        this.waiting = [];
        this.anew = true;
    }

    /** The session no longer knows these turns. */
    forget(turnIds: readonly string[]): void {
        this.keepOnly(event => !('turnId' in event) || !turnIds.some(turnId => turnId === event.turnId));
    }

    read(): SessionEvent[] {
        this.flush();
        return this.shortened ? [{ kind: 'notice', notice: { code: 'history-shortened' } }, ...this.kept] : [...this.kept];
    }

    dispose(): void {
        this.flush();
        this.onDidAppendEmitter.dispose();
    }

    protected flush(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        const { waiting, anew: fromStart } = this;
        if (waiting.length > 0) {
            this.waiting = [];
            this.anew = false;
            this.onDidAppendEmitter.fire({ sessionId: this.sessionId, fromStart, events: fromStart ? this.read() : waiting });
        }
    }

    protected keep(event: SessionEvent): void {
        const key = replacing(event);
        const place = key === undefined ? -1 : this.kept.findLastIndex(other => replacing(other) === key);
        this.characters += sizeOf(event);
        if (place >= 0) {
            this.characters -= sizeOf(this.kept[place]);
            this.kept.splice(place, 1);
        }
        if (place >= 0 && 'turnId' in event) {
            this.kept.splice(place, 0, event);
            // What is of the session comes behind the turns that it names.
        } else if (!joins(this.kept, event)) {
            this.kept.push(event);
        }
        if (this.characters > MAX_CHARACTERS) {
            this.shorten();
        }
    }

    /** Whole turns that are over go first, the oldest before the others; then the oldest parts, but never what names a turn or waits for an answer. */
    protected shorten(): void {
        this.shortened = true;
        const ended = this.kept.find(event => event.kind === 'end');
        if (ended?.kind === 'end') {
            this.forget([ended.turnId]);
        } else {
            const parts = new Set<SessionEvent>(
                this.kept
                    .filter(event => !['turn', 'permission', 'permissionClosed'].includes(event.kind))
                    .slice(0, Math.ceil(this.kept.length / 10))
            );
            this.keepOnly(event => !parts.has(event));
        }
    }

    protected keepOnly(isKept: (event: SessionEvent) => boolean): void {
        this.kept = this.kept.filter(isKept);
        this.characters = this.kept.reduce((sum, event) => sum + sizeOf(event), 0);
    }
}

/** Puts a piece of text behind the one before it. To a reader they are one. */
function joins(events: SessionEvent[], event: SessionEvent): boolean {
    const last = events.at(-1);
    if (!last || !isText(last) || !isText(event) || last.kind !== event.kind || last.turnId !== event.turnId) {
        return false;
    }
    events[events.length - 1] = { ...last, text: last.text + event.text };
    return true;
}

function isText<E extends SessionEvent>(event: E): event is E & { kind: 'text' | 'thought' } {
    return event.kind === 'text' || event.kind === 'thought';
}

/** The newest of the events with one key says all that the others said. */
function replacing(event: SessionEvent): string | undefined {
    switch (event.kind) {
        case 'tool':
            return `tool ${event.turnId} ${event.tool.id}`;
        case 'plan':
        case 'waiting':
            return `${event.kind} ${event.turnId}`;
        case 'queue':
        case 'model':
        case 'commands':
            return event.kind;
        default:
            return undefined;
    }
}

function sizeOf(event: SessionEvent): number {
    return JSON.stringify(event).length;
}
