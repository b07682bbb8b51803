// SPDX-License-Identifier: Apache-2.0

import { Page } from '@playwright/test';
import { eventually } from './eventually';

/**
 * Moves the mouse to the empty part of the menu bar and waits until its tooltip is gone. A tooltip lies over what is beside it, and
 * a click there waits for it in vain: a person's hand moves before it clicks, a test's does not.
 */
export async function restMouse(page: Page): Promise<void> {
    await page.mouse.move(700, 15);
    const tooltips = page.locator('.theia-hover:visible, .monaco-hover:visible');
    await eventually('the tooltips to vanish', async () => {
        if ((await tooltips.count()) === 0) {
            return true;
        }
        // That of a tab which was closed under the mouse stays until the mouse has been over something else that has one (Theia 1.74).
        await page.mouse.move(24, 56);
        await page.mouse.move(700, 15);
        return false;
    });
}
