// SPDX-License-Identifier: Apache-2.0

import { animationFrame } from '@theia/core/lib/browser/browser';

/**
 * Runs a step that shows or closes an editor, and leaves the keyboard where it is. Theia 1.74 focuses every editor that becomes visible
 * (MonacoEditor.handleVisibilityChanged): also one that is only revealed, and the one under a tab that closes. What the user types into the
 * chat would land there. This takes the focus back in the same event, so that no key is lost; a click or Tab of the user ends it.
 */
export async function keepKeyboard(step: () => Promise<void>): Promise<void> {
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
