// SPDX-License-Identifier: Apache-2.0

import { expect, Page } from '@playwright/test';

/**
 * Moves the mouse to the empty part of the menu bar and waits until its tooltip is gone. A tooltip lies over what is beside it, and
 * a click there waits for it in vain: a person's hand moves before it clicks, a test's does not.
 */
export async function restMouse(page: Page): Promise<void> {
    await page.mouse.move(700, 15);
    const tooltips = page.locator('.theia-hover:visible, .monaco-hover:visible');
    try {
        await expect(tooltips).toHaveCount(0, { timeout: 2_000 });
    } catch {
        // If its element disappears just before the hover shows, the hover stays until another one replaces it (Theia 1.74).
        await page.locator('#theia-statusBar .element').first().hover();
        await page.mouse.move(700, 15);
        await expect(tooltips).toHaveCount(0);
    }
}
