// SPDX-License-Identifier: Apache-2.0

import { Locator, Page } from '@playwright/test';
import { eventually } from './eventually';
import { DiffChanges, DiffText } from './page-probe';
import { restMouse } from './rest-mouse';

/** The diff of one review. */
export class ReviewDiff {
    private constructor(
        private readonly page: Page,
        readonly path: string,
        readonly widgetId: string
    ) {}

    static async all(page: Page): Promise<ReviewDiff[]> {
        const reviews = await page.evaluate(() => window.companionProbe.reviews());
        return reviews.map(({ path, widgetId }) => new ReviewDiff(page, path, widgetId));
    }

    get tab(): Locator {
        return this.page.locator(`[id="shell-tab-${this.widgetId}"]`);
    }

    async waitUntilVisible(): Promise<void> {
        await this.tab.waitFor();
    }

    /** Waits until the differences are marked. */
    async waitUntilCompared(): Promise<void> {
        await this.activate();
        await this.page
            .locator(`[id="${this.widgetId}"] .editor.modified .char-insert, [id="${this.widgetId}"] .line-insert`)
            .first()
            .waitFor();
    }

    /** Waits until the keyword is highlighted on both sides. */
    async waitForColors(keyword: string): Promise<void> {
        for (const side of ['original', 'modified']) {
            const words = this.page.locator(`[id="${this.widgetId}"] .editor.${side} .view-line span[class*="mtk"]:not(.mtk1)`);
            await words
                .filter({ hasText: new RegExp(`^${keyword}$`) })
                .first()
                .waitFor();
        }
    }

    async isOpen(): Promise<boolean> {
        return (await this.tab.count()) > 0;
    }

    /** Whether its tab is the one in front. */
    async isCurrent(): Promise<boolean> {
        return this.tab.evaluate(element => element.classList.contains('lm-mod-current'));
    }

    async label(): Promise<string> {
        return (await this.texts()).label;
    }

    async left(): Promise<string> {
        return (await this.texts()).left;
    }

    async right(): Promise<string> {
        return (await this.texts()).right;
    }

    async texts(): Promise<DiffText> {
        const diffs = await this.page.evaluate(() => window.companionProbe.diffs());
        const found = diffs.find(({ widgetId }) => widgetId === this.widgetId);
        if (!found) {
            throw new Error(`The diff of ${this.path} is closed`);
        }
        return found;
    }

    /** Above the text. */
    get bar(): Locator {
        return this.page.locator(`[id="${this.widgetId}"] .companion-review-bar`);
    }

    /** Whether the first characters that are new on the right are within the editor. */
    async showsChange(): Promise<boolean> {
        const editor = this.page.locator(`[id="${this.widgetId}"] .editor.modified`);
        const [outer, inner] = await Promise.all([editor.boundingBox(), editor.locator('.char-insert').first().boundingBox()]);
        return outer !== null && inner !== null && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
    }

    /** The sentences over the top of the diff. */
    async notices(): Promise<string[]> {
        return this.page.locator(`[id="${this.widgetId}"] .companion-review-notice`).allInnerTexts();
    }

    /** Waits for a sentence over the top of the diff. */
    async waitForNotice(text: string): Promise<void> {
        await eventually(`the notice "${text}"`, async () => (await this.notices()).some(notice => notice.includes(text)), {
            state: async () => (await this.notices()).join('\n')
        });
    }

    /** The lines that are marked as changed. */
    async changes(): Promise<DiffChanges> {
        await this.activate();
        return eventually('the sides to be compared', () => this.page.evaluate(id => window.companionProbe.changes(id), this.widgetId));
    }

    async cursor(): Promise<{ lineNumber: number; column: number } | undefined> {
        return this.page.evaluate(id => window.companionProbe.cursor(id), this.widgetId);
    }

    /** Moves the mouse to the arrow of a change, between the sides. @param index counts from 0, from top to bottom */
    async pointAt(index: number): Promise<Locator> {
        await this.activate();
        const items = this.page.locator(`[id="${this.widgetId}"] .gutterItem`);
        const found = await eventually('the arrows', async () => {
            const boxes = await Promise.all(
                (await items.all()).map(async item => ({ item, top: (await item.boundingBox())?.y ?? Infinity }))
            );
            return boxes.sort((one, other) => one.top - other.top)[index]?.item;
        });
        await found.hover();
        return found.locator('.action-label');
    }

    /** Takes a change back with its arrow. @param index as of {@link pointAt} */
    async takeBack(index: number): Promise<void> {
        await this.activate();
        const before = await this.right();
        await (await this.pointAt(index)).click();
        await eventually('the change to be taken back', async () => (await this.right()) !== before);
    }

    /** Whether every arrow between the sides has another colour than what is behind it. @param theme Monaco's class for it, such as `hc-black` */
    async showsArrows(theme: string): Promise<boolean> {
        return this.page.evaluate(
            ([id, wanted]) => {
                const arrows = [...document.querySelectorAll(`[id="${id}"] .gutterItem .action-label`)];
                const isSeen = (arrow: Element): boolean => {
                    const { color } = getComputedStyle(arrow);
                    const bar = arrow.closest('.actions-container');
                    return (
                        bar !== null && getComputedStyle(bar).backgroundColor !== color && arrow.checkVisibility({ opacityProperty: true })
                    );
                };
                return (
                    document.querySelector(`[id="${id}"] .monaco-editor.${wanted}`) !== null && arrows.length > 0 && arrows.every(isSeen)
                );
            },
            [this.widgetId, theme] as const
        );
    }

    async isSideBySide(): Promise<boolean> {
        return (await this.page.locator(`[id="${this.widgetId}"] .monaco-diff-editor.side-by-side`).count()) > 0;
    }

    /** Opens the menu of the text on the right side. */
    async openMenu(): Promise<void> {
        await this.activate();
        await this.modifiedEditor.locator('.view-line').first().click({ button: 'right' });
    }

    /** Whether the keyboard is in this diff, on either side. */
    async hasKeyboard(): Promise<boolean> {
        return this.page.evaluate(id => document.getElementById(id)?.contains(document.activeElement) ?? false, this.widgetId);
    }

    async activate(): Promise<void> {
        await restMouse(this.page);
        const isCurrent = (): Promise<boolean> => this.tab.evaluate(element => element.classList.contains('lm-mod-current'));
        await eventually('the tab to be in front', async () => {
            if (!(await isCurrent())) {
                // A row of tabs that scrolls to another one at the same moment takes the click away from under it.
                await this.tab.click();
            }
            return isCurrent();
        });
        await this.modifiedEditor.waitFor();
    }

    /** Types at the end of the right side. */
    async typeAtEnd(text: string): Promise<void> {
        await this.focusRight();
        await this.page.keyboard.press('Control+End');
        await this.page.keyboard.insertText(text);
        await eventually('the typed text to be in the diff', async () => (await this.right()).endsWith(text), {
            state: () => this.right()
        });
    }

    /** Types into a side that takes nothing. */
    async typeInVain(text: string): Promise<void> {
        await this.focusRight();
        await this.page.keyboard.press('Control+End');
        await this.page.keyboard.type(text);
        await this.page.getByText('Cannot edit in read-only editor').first().waitFor();
    }

    async replaceAll(text: string): Promise<void> {
        await this.focusRight();
        await this.page.keyboard.press('Control+a');
        await (text === '' ? this.page.keyboard.press('Delete') : this.page.keyboard.insertText(text));
        await eventually('the typed text to be in the diff', async () => (await this.right()) === text, { state: () => this.right() });
    }

    /** @param id of the command, as embedders know it */
    answer(id: string): Locator {
        return this.bar.locator(`[id="${id}"]`);
    }

    /** @param answer as the bar above it says, in English */
    button(answer: 'Accept' | 'Reject'): Locator {
        const name = new RegExp(`^${answer} (?!with )`);
        return this.page.locator(`[id="${this.widgetId}"] .companion-review-bar`).getByRole('button', { name });
    }

    async accept(): Promise<void> {
        await this.activate();
        await this.answerBy(() => this.button('Accept').click());
    }

    async reject(): Promise<void> {
        await this.activate();
        await this.answerBy(() => this.button('Reject').click());
    }

    /** Looks, and answers. Something may move in between: then a message says that it was too soon, and a person does it again. */
    async answerBy(gesture: () => Promise<unknown>): Promise<void> {
        await eventually('the answer to be taken', async () => {
            await this.look();
            await this.page.evaluate(id => window.companionProbe.watchAnswer(id), this.widgetId);
            await gesture();
            return (await this.page.evaluate(() => window.companionProbe.wasAnswerTaken())) !== false;
        });
    }

    /** @param keys such as `Control+s` */
    async press(keys: string): Promise<void> {
        await this.focusRight();
        await this.answerBy(() => this.page.keyboard.press(keys));
    }

    /** Waits the moment after which a key or a click can answer it. */
    async look(): Promise<void> {
        await eventually('a key to answer the diff', () => this.page.evaluate(id => window.companionProbe.takesKeys(id), this.widgetId));
    }

    async closeTab(): Promise<void> {
        await restMouse(this.page);
        await this.tab.locator('.lm-TabBar-tabCloseIcon').click();
    }

    private get modifiedEditor(): Locator {
        return this.page.locator(`[id="${this.widgetId}"] .editor.modified`);
    }

    /** @param id of a button in the toolbar of its tabs */
    async pressButton(id: string): Promise<void> {
        await this.activate();
        // Each tab group has its own toolbar.
        const group = this.tab.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " lm-TabBar ")]');
        await group.locator(`[id="${id}"]`).click();
    }

    /** A review that has just been closed may still be giving the keyboard back: like a person, clicks until it is and stays here. */
    private async focusRight(): Promise<void> {
        await eventually('the right side to have the keyboard', async () => {
            await this.activate();
            await restMouse(this.page);
            // As by a click, without the click: a message may lie over the text.
            await this.modifiedEditor.locator('.native-edit-context, textarea.inputarea').first().focus();
            await this.page.waitForTimeout(150);
            return this.modifiedEditor.evaluate(editor => editor.contains(document.activeElement));
        });
    }
}
