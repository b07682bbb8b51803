// SPDX-License-Identifier: Apache-2.0

import { animationFrame } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { timeout } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { injectable } from '@theia/core/shared/inversify';
import { withTimeLimit } from '../../common/time-limit';

const FRAME_LIMIT_MS = 200;
const SHOW_LIMIT_MS = 5_000;

/** Keeps the keyboard where it is, while an editor closes or opens. */
@injectable()
export class KeyboardHold {
    protected readonly held = new DisposableCollection();

    /** The keyboard may go. */
    release(): void {
        this.held.dispose();
    }

    /** Runs what closes diffs that do not have the keyboard: it stays where it is. */
    async stay(run: () => Promise<void>): Promise<void> {
        await this.during(document, focused(), run);
    }

    /**
     * Runs what shows a file in an editor, which does not get the keyboard from that. It may never settle: Theia (1.74) waits for an editor
     * that another one covers until it is seen.
     */
    async still(file: URI, run: () => Promise<void>): Promise<void> {
        const isOfFile = (target: Element): boolean => {
            const uri = target.closest('.monaco-editor')?.getAttribute('data-uri');
            return typeof uri === 'string' && new URI(uri).isEqual(file);
        };
        await this.during(document, focused(), () => Promise.race([run(), timeout(SHOW_LIMIT_MS)]), isOfFile);
    }

    /**
     * @param element has the keyboard meanwhile; `null`: who wants, `undefined`: nothing
     * @param from what does not get it
     */
    async during(
        ownerDocument: Document,
        element: Element | null | undefined,
        run: () => Promise<void>,
        from?: (target: Element) => boolean
    ): Promise<void> {
        const held = this.start(ownerDocument, element, from);
        try {
            await run();
            // A window that is hidden has none.
            await withTimeLimit(animationFrame(), FRAME_LIMIT_MS).catch(() => undefined);
        } finally {
            held.dispose();
        }
    }

    /**
     * Theia 1.74 focuses every editor that becomes visible (MonacoEditor.handleVisibilityChanged), also the one under a tab that is closed.
     * What the user types into the terminal at that moment would land in a source file. This takes the focus back in the same event, so
     * that no key is lost. A click may move it anywhere; it stays where it comes then, unless that is what `from` names.
     */
    protected start(ownerDocument: Document, element: Element | null | undefined, from = (_: Element): boolean => true): Disposable {
        if (element === null || element === ownerDocument.body) {
            return Disposable.NULL;
        }
        let keeper: Element | null | undefined = element;
        const takeBack = (event: FocusEvent): void => {
            // A secondary window has its own classes: `instanceof` does not work.
            const target = event.target as HTMLElement;
            if (!from(target)) {
                keeper = target;
            } else if (keeper === undefined) {
                target.blur();
            } else if (target !== keeper && keeper?.isConnected) {
                (keeper as HTMLElement).focus({ preventScroll: true });
            }
        };
        const click = ({ target }: PointerEvent): void => {
            // In the terminal that has the keyboard, it moves nothing.
            if (!keeper?.closest('.xterm')?.contains(target as Element)) {
                keeper = null;
            }
        };
        // A secondary window has a document of its own. When a tab closes there, Theia may focus something in the main one.
        const documents = new Set([ownerDocument, document]);
        documents.forEach(page => {
            page.addEventListener('focusin', takeBack);
            page.addEventListener('pointerdown', click, true);
        });
        const held = Disposable.create(() =>
            documents.forEach(page => {
                page.removeEventListener('focusin', takeBack);
                page.removeEventListener('pointerdown', click, true);
            })
        );
        this.held.push(held);
        return held;
    }
}

/** What has the keyboard; nothing gets it while nothing has it. */
function focused(): Element | null | undefined {
    const { activeElement } = document;
    return activeElement === document.body ? undefined : activeElement;
}
