// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { UNREAD_TIME_MS } from '../../common/companion-limits';
import { CompanionBackend, FileFacts } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';

/** The backend gives the file system a second. */
const LOOK_LIMIT_MS = 3_000;
const MESSAGE_TIME_MS = 8_000;

/** The rule for Accept and Apply: nothing happens to a file that cannot be looked at, unless the user does it again. */
@injectable()
export class FileLooks {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** What did not count, because the file did not answer: this text for this file. */
    protected silent: { readonly uri: string; readonly text: string; readonly since: number } | undefined;

    /** The user has done it again, and now it counts. */
    tellUnread(uri: string): void {
        const text = nls.localize(
            'theia/cli-companion/review/unread',
            'Done without a look at {0}: it may have changed.',
            this.nameOf(uri)
        );
        this.messages.warn(plainText(text), { timeout: MESSAGE_TIME_MS });
    }

    /** What the user did does not count. */
    tellSilent(uri: string): void {
        const text = nls.localize(
            'theia/cli-companion/review/silent',
            'The file cannot be read now: {0}. Nothing was done. To go on without a look at it, do the same again within 30 seconds.',
            this.nameOf(uri)
        );
        this.messages.warn(plainText(text), { timeout: MESSAGE_TIME_MS });
    }

    /** @returns whether the file can be read, or the user wants to put this text there without a look. Says so if not */
    async isReadable(file: URI, text: string): Promise<boolean> {
        const uri = file.toString();
        const { silent } = this;
        this.silent = undefined;
        if (silent?.uri === uri && silent.text === text && performance.now() - silent.since <= UNREAD_TIME_MS) {
            this.tellUnread(uri);
            return true;
        }
        const facts = await this.look(file);
        if (!facts) {
            this.silent = { uri, text, since: performance.now() };
            this.tellSilent(uri);
        }
        return facts !== undefined;
    }

    /** @returns `undefined` if it does not answer */
    async look(file: URI): Promise<FileFacts | undefined> {
        const looking = this.connection.ask(() => this.backend.lookAtFile(file.toString()), LOOK_LIMIT_MS);
        const facts = await looking.catch(() => undefined);
        return facts?.state === 'silent' ? undefined : facts;
    }

    protected nameOf(uri: string): string {
        return this.paths.display(new URI(uri).path.fsPath());
    }
}
