// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Locator } from '@playwright/test';
import { eventually } from './eventually';
import { IdePage } from './ide-page';

/** The view that lists what was changed outside the editor. */
export class ChangesView {
    constructor(
        private readonly page: IdePage,
        private readonly workspace: string
    ) {}

    async open(): Promise<void> {
        await this.page.execute('companion.changes.show');
        await this.widget.waitFor();
    }

    /** What happened, and the files' names in the workspace; then the numbers of lines. */
    async rows(): Promise<string[]> {
        const rows = await this.widget.locator('[data-kind]').evaluateAll(elements =>
            elements.map(element => ({
                kind: element.getAttribute('data-kind') ?? '',
                path: element.getAttribute('data-path') ?? '',
                lines: [...element.querySelectorAll('.companion-changes-added, .companion-changes-removed')].map(count => count.textContent)
            }))
        );
        return rows.map(({ kind, path: file, lines }) => [kind, path.relative(this.workspace, file), ...lines].join(' ')).sort();
    }

    /** Waits until just these are listed. */
    async waitForRows(...expected: string[]): Promise<void> {
        await eventually(`the changes ${expected.join(', ') || 'to be gone'}`, () => this.hasRows(...expected), {
            state: async () => (await this.rows()).join('\n')
        });
    }

    /** Whether just these are listed. */
    async hasRows(...expected: string[]): Promise<boolean> {
        return JSON.stringify(await this.rows()) === JSON.stringify([...expected].sort());
    }

    async groups(): Promise<string[]> {
        return this.widget.locator('[aria-level="1"]').allInnerTexts();
    }

    row(file: string): Locator {
        return this.widget.locator(`[data-path="${path.join(this.workspace, file)}"]`);
    }

    /** Shows its diff, with the cursor at the first change. */
    async show(file: string): Promise<void> {
        await this.row(file).click();
        await this.page.page.locator('.lm-TabBar-tab.lm-mod-current', { hasText: `${path.basename(file)} (` }).waitFor();
        await this.page.page.locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .line-delete').first().waitFor();
    }

    /** @param icon of the row's button, such as `check` or `discard` */
    async press(file: string, icon: string): Promise<void> {
        // A click that is aimed at what stood there before is ignored for half a second. A busy page shows it late.
        let before = '';
        const isAsBefore = async (): Promise<boolean> => before === (before = (await this.rows()).join('\n'));
        await eventually('rows that stay', isAsBefore, { interval: 600 });
        await this.row(file).hover();
        await this.row(file).locator(`.codicon-${icon}`).click();
    }

    private get widget(): Locator {
        return this.page.page.locator('#companion-changes');
    }
}
