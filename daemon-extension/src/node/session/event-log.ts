// SPDX-License-Identifier: Apache-2.0

import { Emitter, Event } from '@theia/core/lib/common/event';
import { SessionEvents } from '../../common/qwen-daemon-protocol';
import { SessionEvent } from '../../common/session-events';
import { Redactor } from '../config/redactor';
import { continues, isText, StreamedText } from './streamed-text';

/** In milliseconds: how long events are gathered before a page gets them. */
const COALESCE = 30;
/** Characters of all that is kept. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * What a session told its pages, condensed for a page that comes later, or comes back.
 */
export class EventLog {
    protected readonly onDidAppendEmitter = new Emitter<SessionEvents>();
    /** Fires at most every 30 ms. */
    readonly onDidAppend: Event<SessionEvents> = this.onDidAppendEmitter.event;

    protected condensed: SessionEvent[] = [];
    /** The pages have nothing of this: the session was loaded again. */
    protected anew = false;
    protected characters = 0;
    protected shortened = false;
    protected waiting: SessionEvent[] = [];
    protected timer: NodeJS.Timeout | undefined;
    protected readonly streamed: StreamedText;

    constructor(
        protected readonly sessionId: string,
        redactor: Redactor
    ) {
        this.streamed = new StreamedText(redactor);
    }

    append(...events: SessionEvent[]): void {
        for (const event of events.flatMap(one => this.streamed.pass(one))) {
            const last = this.waiting.at(-1);
            if (last && isText(last) && isText(event) && continues(last, event)) {
                this.waiting[this.waiting.length - 1] = { ...last, text: last.text + event.text };
            } else {
                this.waiting.push(event);
            }
        }
        if (this.waiting.length > 0) {
            this.timer ??= setTimeout(() => this.flush(), COALESCE);
        }
    }

    /** Everything before is superseded by what follows. The pages get that whole. */
    restart(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        this.anew = true;
        this.condensed = [];
        this.characters = 0;
        this.shortened = false;
        this.waiting = [];
        this.streamed.forget();
    }

    /** Everything. */
    read(): SessionEvent[] {
        this.flush();
        return this.shortened ? [{ kind: 'notice', notice: { code: 'history-shortened' } }, ...this.condensed] : this.condensed;
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.onDidAppendEmitter.dispose();
    }

    protected flush(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        const [events, fromStart] = [this.waiting, this.anew];
        if (events.length > 0) {
            this.waiting = [];
            this.anew = false;
            events.forEach(event => this.condense(event));
            this.onDidAppendEmitter.fire({ sessionId: this.sessionId, fromStart, events: fromStart ? this.read() : events });
        }
    }

    protected condense(event: SessionEvent): void {
        const last = this.condensed.at(-1);
        const place = replacing.has(event.kind) ? this.condensed.findLastIndex(other => supersedes(event, other)) : -1;
        if (last && isText(last) && isText(event) && continues(last, event)) {
            this.condensed[this.condensed.length - 1] = { ...last, text: last.text + event.text };
            this.characters += event.text.length;
        } else if (place >= 0) {
            this.characters += sizeOf(event) - sizeOf(this.condensed[place]);
            this.condensed[place] = event;
        } else {
            this.condensed.push(event);
            this.characters += sizeOf(event);
        }
        if (this.characters > MAX_CHARACTERS) {
            this.shorten();
        }
    }

    /** Whole turns that are over go first, the oldest before the others; then the oldest parts, but never what names a turn or waits for an answer. */
    protected shorten(): void {
        this.shortened = true;
        const ended = this.condensed.find(event => event.kind === 'end');
        if (ended?.kind === 'end') {
            this.condensed = this.condensed.filter(event => !('turnId' in event) || event.turnId !== ended.turnId);
        } else {
            const parts = new Set<SessionEvent>(
                this.condensed
                    .filter(event => !['turn', 'permission', 'permissionClosed'].includes(event.kind))
                    .slice(0, Math.ceil(this.condensed.length / 10))
            );
            this.condensed = this.condensed.filter(event => !parts.has(event));
        }
        this.characters = this.condensed.reduce((sum, event) => sum + sizeOf(event), 0);
    }
}

const replacing: ReadonlySet<SessionEvent['kind']> = new Set(['tool', 'plan', 'context', 'queue', 'model', 'title', 'commands']);

/** Whether the newer event says all that the older one said. */
function supersedes(event: SessionEvent, older: SessionEvent): boolean {
    switch (event.kind) {
        case 'tool':
            return older.kind === 'tool' && older.turnId === event.turnId && older.tool.id === event.tool.id;
        case 'plan':
            return older.kind === 'plan' && older.turnId === event.turnId;
        case 'context':
        case 'queue':
        case 'model':
        case 'title':
        case 'commands':
            return older.kind === event.kind;
        default:
            return false;
    }
}

function sizeOf(event: SessionEvent): number {
    switch (event.kind) {
        case 'text':
        case 'thought':
            return event.text.length;
        case 'tool':
            return 200 + event.tool.args.length + (event.tool.result?.length ?? 0);
        case 'turn':
            return 200 + event.prompt.length;
        case 'permission':
            return 1_000 + event.permission.description.length;
        default:
            return 200;
    }
}
