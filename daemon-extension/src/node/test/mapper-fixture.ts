// SPDX-License-Identifier: Apache-2.0

import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { Redactor } from '../config/redactor';
import { EventMapper, MapperContext } from '../session/event-mapper';
import { KeptEdits } from '../session/tool-calls';
import { TurnIds } from '../session/turn-ids';
import { TurnList } from '../session/turn-list';
import { FakeEvent } from './fake-daemon';

/** A mapper of a session in which this backend asked `turn-1`, */
export class MapperFixture implements MapperContext {
    static readonly token = 'the-daemons-token';

    readonly ids = new TurnIds();
    readonly logged: string[] = [];
    readonly edits: KeptEdits;
    readonly mapper: EventMapper;
    readonly redactor: Redactor;
    chosenModeId = 'default';

    constructor() {
        const redactor = new Redactor();
        redactor.add(MapperFixture.token);
        this.edits = new KeptEdits(redactor);
        this.redactor = redactor;
        this.mapper = new EventMapper(this, new TurnList(), this.edits);
    }

    readonly debug = (message: string): unknown => this.logged.push(message);

    isOwnClient(id: string): boolean {
        return id === 'client_own';
    }

    chooseMode(modeId: string): void {
        this.chosenModeId = modeId;
    }

    map(...events: FakeEvent[]): SessionEvent[] {
        return events.flatMap(event => this.mapper.map({ originatorClientId: 'client_own', ...event }));
    }

    /** Without the turn's first event. */
    mapped(...events: FakeEvent[]): SessionEvent[] {
        return this.map(...events).filter(({ kind }) => kind !== 'turn');
    }
}

export function updateEvent(update: object, promptId: string | undefined = 'turn-1'): FakeEvent {
    return { type: 'session_update', promptId, data: { sessionId: 's', update } };
}
