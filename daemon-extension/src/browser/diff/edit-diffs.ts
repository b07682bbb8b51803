// SPDX-License-Identifier: Apache-2.0

import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { MessageService } from '@theia/core/lib/common/message-service';
import { timeout } from '@theia/core/lib/common/promise-util';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser';
import { DiffInfo } from '../../common/session-events';
import { textAsMarkdown } from '../../common/plain-text';
import { EditDiffResourceResolver } from './edit-diff-resource-resolver';
import { Edit, EditDiffUris } from './edit-diff-uris';
import { keepKeyboard } from './keep-keyboard';

/** In milliseconds. */
const CLOSING = 2_000;

/** The diffs of the daemon's edits. One that opened by itself closes when its permission is settled. */
@injectable()
export class EditDiffs {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(EditDiffResourceResolver)
    protected readonly resolver: EditDiffResourceResolver;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ILogger)
    @named('qwen-daemon:EditDiffs')
    protected readonly logger: ILogger;

    /** By tool call: those that opened by themselves. */
    protected readonly opened = new Map<string, URI>();
    /** One after the other: a diff that closes may be opened again at once. */
    protected steps: Promise<void> = Promise.resolve();

    /** Shows the edit that a permission is about, without taking the focus from the chat. */
    openForPermission(edit: Edit, diff: DiffInfo): void {
        this.step(async () => {
            if (!this.opened.has(keyOf(edit))) {
                this.opened.set(keyOf(edit), this.uri(edit, diff));
                await keepKeyboard(() => this.openUri(this.uri(edit, diff), diff, 'reveal'));
            }
        });
    }

    closeForPermission(edit: Edit): void {
        this.step(async () => {
            const uri = this.opened.get(keyOf(edit));
            this.opened.delete(keyOf(edit));
            const editor = uri && (await this.editors.getByUri(uri));
            if (editor) {
                await keepKeyboard(async () => {
                    const closed = new Promise<void>(resolve => editor.disposed.connect(() => resolve()));
                    editor.close();
                    // If it does not close, nobody waits for it for ever.
                    await Promise.race([closed, timeout(CLOSING)]);
                });
            }
        });
    }

    protected step(step: () => Promise<void>): void {
        this.steps = this.steps.then(step).catch(error => this.logger.debug('The diff of an edit could not be opened or closed', error));
    }

    /** Shows the file as it is now beside its text before the edit, if that is known. */
    async showSince(edit: Edit, diff: DiffInfo): Promise<void> {
        if (!(await this.resolver.texts(edit))) {
            this.warn(diff, nls.localize('theia/qwen-daemon/diff/gone', 'The texts of this edit are no longer kept.'));
            return;
        }
        const before = EditDiffUris.create({ ...edit, side: 'before' }, diff.path);
        const now = FileUri.create(diff.path);
        await this.openUri(
            DiffUris.encode(before, now, nls.localize('theia/qwen-daemon/diff/since', '{0} (since the turn began)', now.path.base)),
            diff,
            'activate'
        );
    }

    protected uri(edit: Edit, diff: DiffInfo): URI {
        const before = EditDiffUris.create({ ...edit, side: 'before' }, diff.path);
        const after = EditDiffUris.create({ ...edit, side: 'after' }, diff.path);
        return DiffUris.encode(before, after, nls.localize('theia/qwen-daemon/diff/label', 'Qwen: {0}', after.path.base));
    }

    protected async openUri(uri: URI, diff: DiffInfo, mode: 'reveal' | 'activate'): Promise<void> {
        try {
            await open(this.openers, uri, { mode });
        } catch (error) {
            this.logger.debug('An edit could not be shown', error);
            this.warn(diff, error instanceof Error ? error.message : String(error));
        }
    }

    protected warn(diff: DiffInfo, cause: string): void {
        this.messages.warn(
            nls.localize(
                'theia/qwen-daemon/diff/failed',
                'The changes to {0} cannot be shown: {1}',
                textAsMarkdown(diff.path),
                textAsMarkdown(cause)
            )
        );
    }
}

function keyOf({ sessionId, turnId, toolId }: Edit): string {
    return JSON.stringify([sessionId, turnId, toolId]);
}
