// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { setTimeout } from 'timers/promises';
import { BrowserContext, Locator, Page } from '@playwright/test';
import { TheiaApp, TheiaTextEditor } from '@theia/playwright';
import { eventually } from './eventually';
import { ExistingWorkspace } from './existing-workspace';
import { DiffText, installPageProbe } from './page-probe';
import { ReviewDiff } from './review-diff';
import { restMouse } from './rest-mouse';
import { Terminal } from './terminal';

const COMMAND_LIMIT_MS = 60_000;

export interface ToldJson {
    readonly clis: Array<{ name: string; told: { workspaceState: { openFiles: Array<{ path: string }> } } }>;
    readonly withheld: unknown[];
}

/** The IDE in one browser tab. */
export class IdePage {
    readonly app: TheiaApp;

    private constructor(
        readonly page: Page,
        private readonly workspace: ExistingWorkspace
    ) {
        this.app = new TheiaApp(page, workspace, false);
    }

    /** @param prepare done to the tab before the IDE is loaded in it */
    static async open(
        context: BrowserContext,
        url: string,
        workspace: string,
        prepare?: (tab: Page) => Promise<unknown>
    ): Promise<IdePage> {
        const page = await context.newPage();
        await page.addInitScript(installPageProbe);
        await prepare?.(page);
        const ide = new IdePage(page, new ExistingWorkspace(workspace));
        await page.goto(`${url}/#${ide.workspace.pathAsPathComponent}`);
        await ide.waitUntilReady();
        return ide;
    }

    /** A tab that another page opened. */
    static async of(page: Page, workspace: string): Promise<IdePage> {
        const ide = new IdePage(page, new ExistingWorkspace(workspace));
        await ide.waitUntilReady();
        await page.evaluate(installPageProbe);
        return ide;
    }

    async reload(): Promise<void> {
        await this.page.reload();
        await this.waitUntilReady();
    }

    async close(): Promise<void> {
        await this.page.close();
    }

    /**
     * Opens a file and gives it the keyboard. Not in the explorer, which costs many times as much.
     *
     * @param file relative to the workspace
     * @param preview whether in a tab that the next preview replaces
     */
    async openFile(file: string, preview = false): Promise<TheiaTextEditor> {
        const absolute = path.join(this.workspace.path, file);
        await this.page.evaluate(([name, isPreview]) => window.companionProbe.openFile(name, isPreview), [absolute, preview] as const);
        const editor = new TheiaTextEditor(file, this.app);
        await editor.waitForVisible();
        return editor;
    }

    /** The row of a file in the explorer. */
    async explorerRow(file: string): Promise<Locator> {
        const explorer = this.page.locator('#explorer-view-container');
        if (!(await explorer.isVisible())) {
            await this.page.locator('#shell-tab-explorer-view-container').click();
        }
        return explorer.locator('.theia-FileStatNode', { hasText: file });
    }

    /** Takes the keyboard from whatever has it: a diff that comes then comes to the front. */
    async giveKeyboardToNothing(): Promise<void> {
        await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }

    /** Presses keys, wherever the focus is. */
    async press(...keys: string[]): Promise<void> {
        for (const key of keys) {
            await this.page.keyboard.press(key);
        }
    }

    /** A hundred changes at once, which no keyboard can do. */
    async moveCursorOften(file: string, times: number): Promise<void> {
        await this.page.evaluate(([path, count]) => window.companionProbe.moveCursorOften(path, count), [file, times] as const);
    }

    /** The text in an editor, saved or not. @param uri as {@link editors} tells it */
    async textOf(uri: string): Promise<string> {
        return this.page.evaluate(wanted => window.companionProbe.textOf(wanted), uri);
    }

    /** The text of the tab that shows what CLIs were last sent. */
    async toldToClis(): Promise<string> {
        return eventually('what CLIs were told', async () => {
            const uri = (await this.editors()).find(editor => editor.startsWith('companion-context:'));
            return uri && this.textOf(uri);
        });
    }

    /** The same as JSON, which follows the words. */
    async toldAsJson(): Promise<ToldJson> {
        return JSON.parse(/```json\n([^]*)\n```/.exec(await this.toldToClis())?.[1] ?? '') as ToldJson;
    }

    /** URIs of the open text editors. */
    editors(): Promise<string[]> {
        return this.page.evaluate(() => window.companionProbe.editors());
    }

    async openTerminal(): Promise<Terminal> {
        const terminal = await this.terminalOpenedBy(async () => {
            await restMouse(this.page);
            const menu = await this.app.menuBar.openMenu('Terminal');
            await menu.clickMenuItem('New Terminal');
        });
        // What is typed before the shell's prompt is there gets lost or shown twice.
        await eventually("the shell's prompt", async () => (await terminal.text()) !== '');
        // It takes the keyboard a moment after it is there: from another terminal, too, that is typed into meanwhile.
        await eventually('the keyboard to be in it', () => terminal.hasKeyboard());
        return terminal;
    }

    async terminalOpenedBy(action: () => Promise<void>): Promise<Terminal> {
        const before = await this.terminalIds();
        await action();
        const widgetId = await eventually('a new terminal', async () => (await this.terminalIds()).find(id => !before.includes(id)));
        return new Terminal(this.page, widgetId);
    }

    /** The terminals that are there, such as after a reload. */
    async terminals(): Promise<Terminal[]> {
        return (await this.terminalIds()).map(id => new Terminal(this.page, id));
    }

    /** Waits for the review of a file to be on the screen. */
    async waitForDiff(file: string): Promise<ReviewDiff> {
        const found = await eventually(`a diff of ${file}`, async () => (await ReviewDiff.all(this.page)).find(diff => diff.path === file));
        await found.waitUntilVisible();
        return found;
    }

    async waitUntilNoDiff(file?: string): Promise<void> {
        await eventually(`no diff${file ? ` of ${file}` : ''} to be open`, async () => {
            const diffs = await ReviewDiff.all(this.page);
            return !diffs.some(diff => file === undefined || diff.path === file);
        });
    }

    /** Waits for the companion's element in the status bar to say this. */
    async waitForStatus(text: string): Promise<void> {
        const element = this.page.locator('#status-bar-companion-status');
        await eventually(`"${text}" in the status bar`, async () => (await element.innerText({ timeout: 1_000 })).includes(text), {
            state: async () => `There: ${(await element.allInnerTexts()).join(', ')}`
        });
    }

    /** A message in the corner of the window that says this. */
    message(text: string): Locator {
        return this.page.locator('.theia-notification-list-item', { hasText: text }).first();
    }

    async waitForMessage(text: string): Promise<void> {
        await eventually(`the message "${text}"`, async () => (await this.message(text).count()) > 0, {
            state: async () => (await this.messages()).join('\n')
        });
    }

    async messages(): Promise<string[]> {
        return this.page.locator('.theia-notification-list-item').allInnerTexts();
    }

    /**
     * Ends when the message is gone: a busy page shows one for a moment after its answer, and a click there answers nothing.
     *
     * @param button its label
     */
    async answerMessage(text: string, button: string): Promise<void> {
        await this.waitForMessage(text);
        await this.message(text).locator('button', { hasText: button }).click();
        await eventually(`the message "${text}" to go`, async () => (await this.message(text).count()) === 0);
    }

    /** What the status bar offers after a CLI has written a file. */
    written(file: string): Locator {
        return this.page.getByRole('button', { name: `${file} written. Undo` });
    }

    async clearMessages(): Promise<void> {
        await this.execute('notifications.commands.clearAll');
        await eventually('the messages to go', async () => (await this.messages()).length === 0);
    }

    /** All that the companion's element in the status bar says, with what a pointer over it shows. */
    async statusDetails(): Promise<string> {
        return (await this.page.locator('#status-bar-companion-status').getAttribute('aria-label')) ?? '';
    }

    /** Marks this load of the page: the answer tells whether it was reloaded since. */
    async mark(): Promise<() => Promise<boolean>> {
        await this.page.evaluate(() => Object.assign(window, { companionMark: true }));
        return async () => !(await this.page.evaluate(() => 'companionMark' in window));
    }

    /** Runs a command of Theia, such as those of a tab's context menu. */
    /** Fails if the command does not end: it may have opened a dialog. */
    async execute(command: string): Promise<void> {
        const executed = this.page.evaluate(id => window.companionProbe.execute(id), command).then(() => true);
        if (!(await Promise.race([executed, setTimeout(COMMAND_LIMIT_MS, false, { ref: false })]))) {
            throw new Error(`The command ${command} does not end`);
        }
    }

    /** Ids of the commands that run a CLI. They come once the page has heard of the CLIs. */
    async runCommands(): Promise<string[]> {
        return this.page.evaluate(() => {
            const [registry] = window.companionProbe.servicesWith<{ commands: Array<{ id: string }>; registerCommand: unknown }>(
                'registerCommand'
            );
            return registry.commands.map(({ id }) => id).filter(id => id.startsWith('companion.run.'));
        });
    }

    /** Puts the tab into another area of the window, as dragging does. */
    async moveTo(widgetId: string, area: 'bottom' | 'main' | 'right' | 'beside'): Promise<void> {
        await this.page.evaluate(([id, to]) => window.companionProbe.moveTo(id, to), [widgetId, area] as const);
    }

    /** Renames a file as the explorer does; paths are absolute. */
    async moveFile(source: string, target: string): Promise<void> {
        await this.page.evaluate(([from, to]) => window.companionProbe.moveFile(from, to), [source, target] as const);
    }

    async deleteFile(file: string): Promise<void> {
        await this.page.evaluate(path => window.companionProbe.deleteFile(path), file);
    }

    /** Writes a preference into the user's settings. */
    async setPreference(name: string, value: unknown): Promise<void> {
        await this.page.evaluate(([key, wanted]) => window.companionProbe.setPreference(key, wanted), [name, value] as const);
    }

    async diffs(): Promise<ReviewDiff[]> {
        return ReviewDiff.all(this.page);
    }

    /** The diffs of what a user typed into a proposal that ended without it, with the file. */
    async keptEdits(): Promise<DiffText[]> {
        return this.page.evaluate(() => window.companionProbe.diffs('companion-edited'));
    }

    /** @param file absolute */
    async waitForKeptEdit(file: string): Promise<DiffText> {
        return eventually(`the kept edits of ${file}`, async () => (await this.keptEdits()).find(edit => edit.path === file));
    }

    /** Every text that was announced to screen readers since the page was loaded. */
    async announced(): Promise<string> {
        return (await this.page.evaluate(() => window.companionProbe.announced())).join('\n');
    }

    async waitUntilReady(): Promise<void> {
        await this.app.waitForShellAndInitialized();
    }

    private async terminalIds(): Promise<string[]> {
        return (await this.page.evaluate(() => window.companionProbe.terminals())).map(({ widgetId }) => widgetId);
    }
}
