// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { Redactor } from '../config/redactor';
import { EventMapper, MapperContext } from './event-mapper';
import { KeptEdits } from './kept-edits';
import { OwnPrompts, TurnList } from './turn-list';

/** Makes a session's mapper, anew whenever it is loaded, from what outlives the loading. */
export class SessionMappers {
    readonly own = new OwnPrompts();
    /** A session that is loaded again does not tell the texts of longer edits. */
    readonly edits: KeptEdits;
    protected readonly ownClients = new Set<string>();

    constructor(
        protected readonly redactor: Redactor,
        protected readonly debug: (message: string) => void,
        protected readonly choice: Pick<MapperContext, 'chosenModeId' | 'chooseMode'>
    ) {
        this.edits = new KeptEdits(text => redactor.redact(text, Infinity));
    }

    /** The daemon gives each client an id, and a new one if it has forgotten the client. */
    noteClient({ clientId }: DaemonSessionClient): void {
        if (clientId) {
            this.ownClients.add(clientId);
        }
    }

    isOwn(clientId: string | undefined): boolean {
        return clientId !== undefined && this.ownClients.has(clientId);
    }

    create(): EventMapper {
        return new EventMapper(
            {
                redact: (text, limit) => this.redactor.redact(text, limit),
                redactError: (text, limit) => this.redactor.redactError(text, limit),
                isOwnClient: id => this.isOwn(id),
                debug: this.debug,
                ...this.choice
            },
            new TurnList(this.own),
            this.edits
        );
    }
}
