// SPDX-License-Identifier: Apache-2.0

import { DialogOverlayService } from '@theia/core/lib/browser';

/** Theia's dialogs in a unit test. Import `./dom` before it. */
export const TestDialog = {
    /** Call it before the first dialog opens. */
    enable(): void {
        new DialogOverlayService().initialize();
    },

    /** Presses a button of the dialog that is open. @returns what the dialog says */
    async answer(label: string): Promise<string> {
        await TestDialog.settled();
        const dialog = document.querySelector('.dialogOverlay');
        const text = dialog?.textContent ?? '';
        const buttons = [...(dialog?.querySelectorAll('button') ?? [])];
        buttons.find(({ textContent }) => textContent === label)?.click();
        await TestDialog.settled();
        return text;
    },

    settled(): Promise<void> {
        return new Promise(resolve => setTimeout(resolve, 5));
    }
} as const;
