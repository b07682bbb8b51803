// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionCommands, PageChanges } from 'theia-cli-companion/lib/browser';
import { isOnBackendHost, QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';

/** The companion's list of changes. Made when it is asked for: what embedders put in its place may fail, which must not take Theia's chat with it. */
export const CompanionChanges = Symbol('CompanionChanges');
export type CompanionChanges = () => Pick<PageChanges, 'files' | 'trouble' | 'onDidChange'> | undefined;

/** What Qwen changed, as the companion lists it. */
@injectable()
export class ChatChanges {
    /** The id of the command that shows the first of them. */
    readonly reviewCommand: string = CompanionCommands.REVIEW_CHANGES.id;

    @inject(CompanionChanges)
    protected readonly changes: CompanionChanges;
    @inject(BackendConnection)
    protected readonly connection: Pick<BackendConnection, 'status'>;

    get onDidChange(): Event<void> {
        return this.changes()?.onDidChange ?? Event.None;
    }

    /** How many files wait for the user to look; `undefined` where what Qwen changes is not followed. */
    get count(): number | undefined {
        const changes = this.changes();
        const { status } = this.connection;
        return changes && !changes.trouble && status && isOnBackendHost(status)
            ? changes.files.filter(({ authors, group }) => !group && authors.includes(QWEN_AGENT_ID)).length
            : undefined;
    }
}
