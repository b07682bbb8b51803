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
import { PermissionDiffs } from './permission-diffs';

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

    protected readonly ofPermissions = new PermissionDiffs({
        open: (edit, diff) => keepKeyboard(() => this.open(edit, diff, 'reveal')),
        close: async (edit, diff) => {
            const editor = await this.editors.getByUri(this.uri(edit, diff));
            if (editor) {
                const closed = new Promise<void>(resolve => editor.disposed.connect(() => resolve()));
                await keepKeyboard(async () => {
                    editor.close();
                    // It may be opened again at once. If it does not close, nobody waits for it for ever.
                    await Promise.race([closed, timeout(CLOSING)]);
                });
            }
        }
    });

    /** Shows the edit that a permission is about, without taking the focus from the chat. */
    openForPermission(edit: Edit, diff: DiffInfo): void {
        void this.ofPermissions.open(edit, diff);
    }

    closeForPermission(edit: Edit): void {
        this.ofPermissions.close(edit).catch(error => this.logger.debug('The diff of an edit could not be closed', error));
    }

    async show(edit: Edit, diff: DiffInfo): Promise<void> {
        await this.open(edit, diff, 'activate');
    }

    /** Shows the file as it is now beside its text before the edit. Resolves to whether that text is known. */
    async showSince(edit: Edit, diff: DiffInfo): Promise<boolean> {
        if (!(await this.resolver.texts(edit))) {
            this.warn(diff, nls.localize('theia/qwen-daemon/diff/gone', 'The texts of this edit are no longer kept.'));
            return false;
        }
        const before = EditDiffUris.create({ ...edit, side: 'before' }, diff.path);
        const now = FileUri.create(diff.path);
        await this.openUri(
            DiffUris.encode(before, now, nls.localize('theia/qwen-daemon/diff/since', '{0} (since the turn began)', now.path.base)),
            diff,
            'activate'
        );
        return true;
    }

    protected uri(edit: Edit, diff: DiffInfo): URI {
        const before = EditDiffUris.create({ ...edit, side: 'before' }, diff.path);
        const after = EditDiffUris.create({ ...edit, side: 'after' }, diff.path);
        return DiffUris.encode(before, after, nls.localize('theia/qwen-daemon/diff/label', 'Qwen: {0}', after.path.base));
    }

    protected open(edit: Edit, diff: DiffInfo, mode: 'reveal' | 'activate'): Promise<void> {
        return this.openUri(this.uri(edit, diff), diff, mode);
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
