// SPDX-License-Identifier: Apache-2.0

import { animationFrame } from '@theia/core/lib/browser/browser';
import { open, OpenerService } from '@theia/core/lib/browser/opener-service';
import { DiffUris } from '@theia/core/lib/browser/diff-uris';
import { ILogger } from '@theia/core/lib/common/logger';
import { MessageService } from '@theia/core/lib/common/message-service';
import { timeout } from '@theia/core/lib/common/promise-util';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { EditorManager, EditorWidget } from '@theia/editor/lib/browser';
import type * as monaco from '@theia/monaco-editor-core';
import { textAsMarkdown } from '../../common/plain-text';
import { ChangedFile, Edit, EditDiffUris } from './edit-diff-resources';

const CLOSING_MS = 2_000;
/** Of a new file: without a removed line, which was not there. */
const ONE_SIDE = { renderSideBySide: false, compactMode: true, experimental: { useTrueInlineView: true } };

/** An editor of `@theia/monaco` for two sides. */
interface TwoSidedEditor {
    readonly diffEditor: Pick<monaco.editor.IStandaloneDiffEditor, 'updateOptions'>;
}

/** The diffs of the daemon's edits. One that opened by itself closes when its permission is settled. */
@injectable()
export class EditDiffs {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
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

    isInView(edit: Edit): boolean {
        return this.editors.all.some(widget => widget.isVisible && showsEdit(widget, edit));
    }

    /** Shows the edit that a permission is about, without taking the focus from the chat. */
    openForPermission(file: ChangedFile): void {
        this.step(async () => {
            const key = keyOf(file.edit);
            if (!this.opened.has(key)) {
                const [before, after] = sides(file);
                const uri = DiffUris.encode(before, after, nls.localize('theia/qwen-daemon/diff/label', 'Qwen: {0}', after.path.base));
                this.opened.set(key, uri);
                await keepKeyboard(() => this.openUri(uri, file));
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
                    // If it does not close, nothing waits for it forever.
                    await Promise.race([closed, timeout(CLOSING_MS)]);
                });
            }
        });
    }

    protected step(step: () => Promise<void>): void {
        this.steps = this.steps.then(step).catch(error => this.logger.debug('The diff of an edit could not be opened or closed', error));
    }

    protected async openUri(uri: URI, file: ChangedFile): Promise<void> {
        try {
            const opened = await open(this.openers, uri, { mode: 'reveal' });
            if (file.diff.isNew && opened instanceof EditorWidget && isTwoSided(opened.editor)) {
                opened.editor.diffEditor.updateOptions(ONE_SIDE);
            }
        } catch (error) {
            this.logger.debug('An edit could not be shown', error);
            this.warn(file, error instanceof Error ? error.message : String(error));
        }
    }

    protected warn({ diff }: ChangedFile, cause: string): void {
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

function sides({ edit, diff }: ChangedFile): URI[] {
    return (['before', 'after'] as const).map(side => EditDiffUris.create({ ...edit, side }, diff.path));
}

function isTwoSided(editor: object): editor is TwoSidedEditor {
    return 'diffEditor' in editor;
}

/** Whether an editor shows this edit. */
export function showsEdit(widget: unknown, edit: Edit): boolean {
    // Of a diff it is the URI of the right side.
    const uri = widget instanceof EditorWidget ? widget.getResourceUri() : undefined;
    const shown = uri && EditDiffUris.parse(uri);
    return shown !== undefined && keyOf(shown) === keyOf(edit);
}

function keyOf({ sessionId, turnId, toolId }: Edit): string {
    return JSON.stringify([sessionId, turnId, toolId]);
}

/**
 * Runs a step that shows or closes an editor, and leaves the keyboard where it is. Theia 1.74 focuses every editor that becomes visible
 * (MonacoEditor.handleVisibilityChanged): also one that is only revealed, and the one under a tab that closes. What the user types into the
 * chat would land there. This takes the focus back in the same event, so that no key is lost; a click or Tab of the user ends it.
 */
async function keepKeyboard(step: () => Promise<void>): Promise<void> {
    const { activeElement, body } = document;
    const end = new AbortController();
    const takeBack = ({ target }: FocusEvent): void => {
        if (activeElement === body) {
            (target as HTMLElement).blur();
        } else if (target !== activeElement && activeElement?.isConnected) {
            (activeElement as HTMLElement).focus({ preventScroll: true });
        }
    };
    const { signal } = end;
    document.addEventListener('focusin', takeBack, { signal });
    document.addEventListener('pointerdown', () => end.abort(), { signal, capture: true });
    document.addEventListener('keydown', ({ key }) => key === 'Tab' && end.abort(), { signal, capture: true });
    try {
        await step();
        await animationFrame();
    } finally {
        end.abort();
    }
}
