// SPDX-License-Identifier: Apache-2.0

import { Locator, Page } from '@playwright/test';
import { eventually } from './eventually';

/** The quick pick that opens from the companion's element in the status bar. */
export class StatusPick {
    private constructor(private readonly page: Page) {}

    static async open(page: Page): Promise<StatusPick> {
        await page.locator('#status-bar-companion-status').click();
        const pick = new StatusPick(page);
        await pick.widget.waitFor();
        return pick;
    }

    /** The items' labels for screen readers. */
    async labels(): Promise<string[]> {
        const labels = await this.widget.locator('.monaco-list-row').evaluateAll(rows => rows.map(row => row.getAttribute('aria-label')));
        return labels.map(label => label ?? '');
    }

    /** The item whose text contains this. */
    item(text: string): Locator {
        return this.widget.locator('.monaco-list-row', { hasText: text }).first();
    }

    async waitForItem(text: string): Promise<void> {
        await this.item(text).waitFor();
    }

    async choose(text: string): Promise<void> {
        await this.item(text).click();
    }

    /** @param icon of the button beside the item, such as `check` */
    async pressButton(text: string, icon: string): Promise<void> {
        await this.look();
        await this.item(text).hover();
        await this.item(text).locator(`.codicon-${icon}`).click();
    }

    /** Waits the moment after which a key or a click can answer a proposal in it. */
    async look(): Promise<void> {
        await eventually('an answer to be taken', () =>
            this.page.evaluate(() => window.companionProbe.servicesWith<{ takesAnswer(): boolean }>('takesAnswer')[0].takesAnswer())
        );
    }

    async close(): Promise<void> {
        await this.page.keyboard.press('Escape');
        await this.widget.waitFor({ state: 'hidden' });
    }

    private get widget(): Locator {
        return this.page.locator('.quick-input-widget');
    }
}
