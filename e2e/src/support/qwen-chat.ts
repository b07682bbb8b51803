// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator, Page } from '@playwright/test';
import { eventually, Wait } from './eventually';
import { IdeFixture } from './ide-fixture';
import { IdePage } from './ide-page';

/** Theia says errors of the chat in a corner as well, above its input, for 30 s; so long no test waits. */
export const SHORT_NOTIFICATIONS = { 'notification.timeout': 500 };

/** The preference that offers the agent. */
export const ENABLED = 'qwen-code.experimentalDaemon.enabled';

/**
 * Sets preferences of the user, as somebody who edits settings.json does. At once: Theia (1.74) takes half a file for settings without the
 * sample's trust, and asks in a dialog whether to restart.
 */
export async function setPreferences(ide: IdeFixture, preferences: Record<string, unknown>): Promise<void> {
    const file = path.join(ide.home, '.theia', 'settings.json');
    const before = JSON.parse(await fs.readFile(file, 'utf8')) as object;
    await fs.writeFile(`${file}.new`, JSON.stringify({ ...before, ...preferences }, undefined, 4));
    await fs.rename(`${file}.new`, file);
}

/** A prompt that makes the scripted model say something in pieces (`browser-app/scripted-model/stream-script.mts`). */
export function say(script: { thought?: string; text?: string; count?: number; pause?: number; status?: number }): string {
    return `SAY:${JSON.stringify(script)}:END`;
}

/** Of a question of the model, and of a permission. */
const OPTION = '.theia-QuestionPartRenderer-option:enabled, .qwen-daemon-permission-option[aria-disabled="false"]';

/** What the model says for `count`. */
export function numbers(count: number): string {
    return Array.from({ length: count }, (_, index) => index + 1).join(' ');
}

/** The chat view, as a person reads and uses it. */
export class QwenChat {
    constructor(private readonly ide: IdePage) {}

    private get page(): Page {
        return this.ide.page;
    }

    get view(): Locator {
        return this.page.locator('#chat-view-widget');
    }

    get statusBar(): Locator {
        return this.page.locator('#status-bar-qwen-daemon-status');
    }

    get input(): Locator {
        return this.view.locator('.theia-ChatInput-Editor .view-lines').first();
    }

    /** The approval mode, as shown beside Send. */
    get inputMode(): Locator {
        return this.view.locator('.theia-ChatInput-ModeSelector');
    }

    get sendButton(): Locator {
        return this.view.locator('.theia-ChatInputOptions-right .option');
    }

    /** The permission that is asked in the newest answer. */
    get permission(): Locator {
        return this.answer.locator('.qwen-daemon-permission[data-state="asked"]');
    }

    /** The newest answer. */
    get answer(): Locator {
        return this.view.locator('.theia-ResponseNode').last();
    }

    get stopButton(): Locator {
        return this.view.locator('.codicon-stop-circle');
    }

    /** The tab of the view, with the number of what waits. */
    get tab(): Locator {
        return this.page.locator('#shell-tab-chat-view-widget');
    }

    /** Says what waits while it is not in view. */
    get message(): Locator {
        // Theia's list of messages has it, too, and is hidden.
        return this.page.locator('.theia-notification-toasts .theia-notification-list-item', { hasText: 'Qwen waits for you' });
    }

    async hide(): Promise<void> {
        await this.tab.click();
        await this.view.waitFor({ state: 'hidden' });
    }

    async show(): Promise<void> {
        if (!(await this.view.isVisible())) {
            await this.tab.click();
            await this.view.waitFor();
        }
        // As wide as people have it; Theia's own width for it is less.
        await this.resize(390);
    }

    async resize(width: number): Promise<void> {
        await this.page.evaluate(size => {
            const [shell] = window.companionProbe.servicesWith<{ resize(size: number, area: string): void }>('getAreaFor');
            shell.resize(size, 'right');
        }, width);
    }

    /** Theia's list of messages holds only what is in view, and does not always follow. */
    async scrollToEnd(): Promise<void> {
        const button = this.view.locator('.theia-ChatTree-ScrollToBottom');
        if (await button.isVisible()) {
            // It disappears by itself if the list has reached its end meanwhile. A click would take the keyboard from the input, and the
            // button goes with it.
            await button.dispatchEvent('click', undefined, { timeout: 1_000 }).catch(() => undefined);
        }
    }

    /** See {@link SHORT_NOTIFICATIONS}. */
    async waitUntilNoNotification(): Promise<void> {
        await eventually('no notification', async () => (await this.page.locator('.theia-notification-toasts.open').count()) === 0);
    }

    async send(text: string): Promise<void> {
        await this.waitUntilNoNotification();
        await this.view.locator('.theia-ChatInput-Editor .monaco-editor').first().click();
        // Of a message that was refused before.
        await this.clearInput();
        await this.page.keyboard.insertText(text);
        await this.page.keyboard.press('Enter');
        await this.scrollToEnd();
    }

    /** At the input, as a person types. */
    async type(text: string): Promise<void> {
        await this.view.locator('.theia-ChatInput-Editor .monaco-editor').first().click();
        await this.page.keyboard.type(text);
    }

    async isInputEnabled(): Promise<boolean> {
        return (await this.view.locator('.theia-ChatInput[data-ai-disabled="false"]').count()) > 0;
    }

    async inputText(): Promise<string> {
        return (await this.input.innerText()).replace(/\n/g, '').replace(/\u00a0/g, ' ');
    }

    async clearInput(): Promise<void> {
        await this.ide.press('Control+A', 'Backspace');
    }

    /** @param keys that lead to it from what is offered first */
    async acceptCompletion(label: string, ...keys: string[]): Promise<void> {
        const offered = this.page.locator('.suggest-widget.visible .monaco-list-row', { hasText: label });
        await offered.first().waitFor();
        await this.ide.press(...keys);
        await offered.and(this.page.locator('.focused')).waitFor();
        await this.ide.press('Enter');
    }

    /** @param png base64 */
    async copyImage(png: string): Promise<void> {
        await this.page.evaluate(async data => {
            const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
            await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
        }, png);
    }

    ask(text: string): Promise<void> {
        return this.send(`@Qwen ${text}`);
    }

    /** Asks and waits until the answer is complete. Texts are to differ: that is how the message is found in the list. */
    async askAndWait(text: string): Promise<string> {
        await this.ask(text);
        await eventually('the message in the chat', async () => {
            await this.scrollToEnd();
            return (await this.view.locator('.theia-RequestNode').last().innerText()).includes(text.slice(0, 60));
        });
        return this.waitUntilDone();
    }

    async waitUntilDone(): Promise<string> {
        // One look, so that all of it is of the same moment.
        const busy = '.theia-ChatContentInProgress, .theia-ResponseNode-ProgressMessage .fa-spinner, .codicon-stop-circle';
        await eventually(
            'the answer to be complete',
            async () => {
                await this.scrollToEnd();
                return this.view.evaluate(
                    (view, selector) => view.querySelector('.theia-ResponseNode') !== null && view.querySelector(selector) === null,
                    busy
                );
            },
            { state: () => this.text() }
        );
        return this.answerText();
    }

    async waitForAnswer(text: string | RegExp, wait: Wait = {}): Promise<void> {
        await eventually(
            `"${text}" in the newest answer`,
            async () => {
                await this.scrollToEnd();
                const shown = await this.answerText();
                return typeof text === 'string' ? shown.includes(text) : text.test(shown);
            },
            { state: () => this.text(), ...wait }
        );
    }

    /** Of the newest answer, thoughts and folded parts included. */
    async answerText(): Promise<string> {
        const text = (await this.answer.textContent({ timeout: 2_000 })) ?? '';
        return text.replace(/\u00a0/g, ' ').trim();
    }

    /** Of the model in the newest answer; of Markdown, what is seen. */
    async spoken(): Promise<string> {
        const parts = await this.answer
            .locator('.theia-ResponseNode-Content .qwen-daemon-answer, .theia-ResponseNode-Content .theia-CodePartRenderer-root')
            .allTextContents();
        return parts.join('').trim();
    }

    async text(): Promise<string> {
        return this.view.innerText({ timeout: 2_000 });
    }

    tool(name: string, state?: string): Locator {
        return this.answer.locator(`.qwen-daemon-tool[data-tool="${name}"]${state ? `[data-state="${state}"]` : ''}`);
    }

    /** What it says of the files that Qwen changed, above the input. */
    get changesLine(): Locator {
        return this.view.locator('.chat-agent-suggestion');
    }

    /** What can be chosen in the newest answer. */
    get options(): Locator {
        return this.answer.locator(OPTION);
    }

    option(label: string): Locator {
        return this.answer.locator(OPTION, { has: this.page.getByText(label, { exact: true }) });
    }

    async waitForQuestion(): Promise<void> {
        await eventually('a question', async () => {
            await this.scrollToEnd();
            return this.options.first().isVisible();
        });
    }

    async choose(label: string): Promise<void> {
        await this.waitForQuestion();
        await this.option(label).click();
    }

    async stop(): Promise<void> {
        await this.stopButton.click();
    }

    async execute(command: string): Promise<void> {
        await this.ide.app.quickCommandPalette.type(command);
        await this.ide.app.quickCommandPalette.trigger(command);
    }

    async chooseInputMode(name: string): Promise<void> {
        await this.inputMode.click();
        await this.page.locator('.theia-select-component-option', { hasText: name }).click();
    }

    /** How many pixels of the newest answer are out of sight on its right. */
    async overflow(): Promise<number> {
        return this.answer.evaluate(answer => {
            const { right } = answer.getBoundingClientRect();
            return Math.max(0, ...[...answer.querySelectorAll('*')].map(part => Math.round(part.getBoundingClientRect().right - right)));
        });
    }

    /** Takes an entry of the list that a command shows. */
    async pick(label: string): Promise<void> {
        await this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
    }

    /** The two sides of the edits that are shown, and whether one of them can be edited. */
    async diffs(): Promise<{ path: string; before: string; after: string; editable: boolean }[]> {
        return this.page.evaluate(() => window.companionProbe.daemonDiffs());
    }
}
